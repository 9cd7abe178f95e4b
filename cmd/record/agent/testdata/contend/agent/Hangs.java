package contend.agent;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads wait all the while that is recorded, beside a flight recording, at a monitor
 * and at a lock; two others take turns at another one.
 * arguments: the trace, how many samples, 100 ms apart, how many threads at each.
 */
public final class Hangs {
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static volatile boolean done;

  public static void main(String[] args) throws Exception {
    LOCK.lock();
    synchronized (Hangs.class) {
      for (int i = Integer.parseInt(args[2]); i > 0; i--) {
        Sampled.start(Hangs::atMonitor, "hangs");
        Sampled.start(Hangs::atLock, "hangs");
      }
      for (int i = 0; i < 2; i++) {
        Sampled.start(Hangs::inTurn, "turns");
      }
      Thread.sleep(300);
      Sampled.record(args[0], true, Integer.parseInt(args[1]), 100);
    }
    System.exit(0);
  }

  private static void atMonitor() {
    synchronized (Hangs.class) {
      done = true;
    }
  }

  private static void atLock() {
    LOCK.lock();
  }

  private static void inTurn() {
    while (!done) {
      synchronized (LOCK) {
        for (long until = System.nanoTime() + 5_000_000; System.nanoTime() < until; ) {
          Thread.yield();
        }
      }
      LockSupport.parkNanos(2_000_000); // it is the other's turn
    }
  }
}
