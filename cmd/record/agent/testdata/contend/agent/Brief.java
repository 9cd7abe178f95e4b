package contend.agent;

import java.io.FileOutputStream;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads wait for a monitor for less than the time between two samples, and end: each
 * is seen once or not at all; or they sleep, and wait again before they end. Prints for
 * how many nanoseconds they waited.
 * arguments: the trace, how many samples, milliseconds between them, and of sleep.
 */
public final class Brief {
  private static final AtomicLong WAITED = new AtomicLong();
  private static volatile long from = Long.MAX_VALUE, until = Long.MAX_VALUE;
  private static volatile boolean done;

  public static void main(String[] args) throws Exception {
    int samples = Integer.parseInt(args[1]);
    long apart = Long.parseLong(args[2]), sleep = Long.parseLong(args[3]);
    Thread maker = new Thread(() -> {
      Random random = new Random(1);
      while (!done) {
        wait(8, apart / 3, sleep, random.nextInt((int) apart));
      }
    });
    maker.start();
    try (FileOutputStream file = new FileOutputStream(args[0])) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, false);
      sampler.begin();
      for (int i = 1; i <= samples; i++) {
        Thread.sleep(apart);
        sampler.sample(System.nanoTime());
        if (i == 1) {
          from = System.nanoTime();
        }
        if (i % 10 == 0) {
          sampler.measured();
        }
      }
      until = System.nanoTime();
      done = true;
      maker.join();
      sampler.measured();
      sampler.end();
      out.close();
    }
    System.out.println(WAITED);
  }

  /** Lets so many threads wait for so long, in ms, and again after they slept, and rests. */
  private static void wait(int threads, long ms, long sleep, long rest) {
    try {
      Thread[] waiting = new Thread[threads];
      synchronized (Brief.class) {
        for (int i = 0; i < threads; i++) {
          waiting[i] = new Thread(() -> come(sleep));
          waiting[i].start();
        }
        Thread.sleep(ms);
      }
      if (sleep > 0) {
        Thread.sleep(sleep - 1); // none of them is awake yet
        synchronized (Brief.class) {
          Thread.sleep(ms);
        }
      }
      for (Thread t : waiting) {
        t.join();
      }
      Thread.sleep(rest);
    } catch (InterruptedException e) {
      done = true;
    }
  }

  private static void come(long sleep) {
    enter();
    if (sleep == 0) {
      return;
    }
    try {
      Thread.sleep(sleep);
    } catch (InterruptedException e) {
      return;
    }
    enter();
  }

  private static void enter() {
    long begun = System.nanoTime();
    synchronized (Brief.class) {
      WAITED.addAndGet(Math.max(Math.min(System.nanoTime(), until) - Math.max(begun, from), 0));
    }
  }
}
