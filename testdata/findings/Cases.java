import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Programs with one thing wrong each, for the findings: CASE MILLISECONDS. The recordings beside are of JDK 17, with the
 * settings 'contend jfc --dump-period 0', and packed with gzip:
 * convoy 200, starvation 1500, readers 400, and with -XX:+UseSerialGC -Xmx256m paused 1500.
 */
public class Cases {
  static volatile boolean over;
  static volatile Object sink;
  static final class Accounts {}
  static final class Ledger {}
  static final Accounts accounts = new Accounts();
  static final Ledger ledger = new Ledger();
  static final ReentrantLock fair = new ReentrantLock(true);
  static final List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());

  interface Work {
    void run() throws InterruptedException;
  }

  static void start(int threads, String name, Work w) {
    for (int i = 0; i < threads; i++) {
      Thread t = new Thread(() -> {
        try {
          while (!over) {
            w.run();
          }
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }, name + "-" + i);
      t.setDaemon(true);
      t.start();
    }
  }

  /** Held for 10 us, and handed over to threads that sleep. */
  static void pass() {
    fair.lock();
    for (long end = System.nanoTime() + 10_000; System.nanoTime() < end; ) {
      Thread.onSpinWait();
    }
    fair.unlock();
  }

  /** The monitor wakes who came last first: with four threads one is always passed by two. */
  static void transfer() throws InterruptedException {
    synchronized (accounts) {
      Thread.sleep(1);
      synchronized (ledger) {
        Thread.sleep(2);
      }
    }
  }

  static void archive() throws InterruptedException {
    synchronized (ledger) {
      Thread.sleep(3);
    }
  }

  static int find() {
    return numbers.indexOf(-1);
  }

  static void hold() throws InterruptedException {
    synchronized (ledger) {
      Thread.sleep(4);
    }
  }

  static void allocate() {
    List<byte[]> kept = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      kept.add(new byte[40000]);
    }
    sink = kept;
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "convoy" -> {
        fair.lock();
        start(32, "driver", () -> {
          pass();
          Thread.sleep(1);
        });
        Thread.sleep(20);
        fair.unlock(); // the cause has gone
      }
      case "starvation" -> {
        start(4, "teller", () -> {
          transfer();
          Thread.sleep(3);
        });
        start(3, "clerk", () -> {
          archive();
          Thread.sleep(4);
        });
      }
      case "readers" -> {
        for (int i = 0; i < 200000; i++) {
          numbers.add(i);
        }
        start(4, "reader", () -> {
          sink = find();
          Thread.sleep(1);
        });
      }
      case "paused" -> {
        start(3, "holder", () -> {
          hold();
          Thread.sleep(4);
        });
        start(1, "allocator", Cases::allocate);
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    Thread.sleep(Long.parseLong(args[1]));
    over = true;
    System.exit(0);
  }
}
