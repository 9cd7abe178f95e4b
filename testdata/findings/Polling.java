import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Four threads share a lock made of compareAndSet: where it is held, "sleep" sleeps for a
 * millisecond and "spin" calls onSpinWait. It is held for 4 ms, asleep or not. Prints the
 * part of their time in which the threads waited for it.
 *
 * java -XX:StartFlightRecording=settings=contend.jfc,filename=polling.jfr Polling sleep 3
 */
public class Polling {
  static final AtomicBoolean held = new AtomicBoolean();
  static final AtomicLong waited = new AtomicLong();
  static boolean sleeps;

  static void acquire() throws InterruptedException {
    long from = System.nanoTime();
    while (!held.compareAndSet(false, true)) {
      if (sleeps) {
        Thread.sleep(1);
      } else {
        Thread.onSpinWait();
      }
    }
    waited.addAndGet(System.nanoTime() - from);
  }

  static void compute(long us) {
    for (long until = System.nanoTime() + us * 1000; System.nanoTime() < until; ) {
    }
  }

  public static void main(String[] args) throws Exception {
    sleeps = args[0].equals("sleep");
    long begun = System.nanoTime(), end = begun + Long.parseLong(args[1]) * 1_000_000_000L;
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> {
        try {
          while (System.nanoTime() < end) {
            acquire();
            if (sleeps) {
              Thread.sleep(4);
            } else {
              compute(4000);
            }
            held.set(false);
            compute(200); // else it would get the lock again at once
          }
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }, "worker-" + i);
      threads[i].start();
    }
    for (Thread t : threads) {
      t.join();
    }
    System.out.printf("waited %.1f %%%n", 100.0 * waited.get() / (System.nanoTime() - begun) / threads.length);
  }
}
