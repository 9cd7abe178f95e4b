package contend.agent;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads wait for one lock all the while that is recorded, and each owns a monitor
 * that another thread waits for.
 * arguments: the trace, how many samples, 100 ms apart, how many threads at the lock.
 */
public final class Inner {
  private static final ReentrantLock LOCK = new ReentrantLock();

  public static void main(String[] args) throws Exception {
    LOCK.lock();
    int threads = Integer.parseInt(args[2]);
    for (int i = threads; i > 0; i--) {
      final Object outer = new Object();
      Sampled.start(() -> own(outer), "owns");
      while (LOCK.getQueueLength() + i <= threads) {
        Thread.sleep(10);
      }
      Sampled.start(() -> want(outer), "wants");
    }
    Thread.sleep(300);
    Sampled.record(args[0], false, Integer.parseInt(args[1]), 100);
    System.exit(0);
  }

  private static void own(Object outer) {
    synchronized (outer) {
      LOCK.lock();
    }
  }

  private static void want(Object outer) {
    synchronized (outer) {
      LOCK.lock();
    }
  }
}
