package contend.agent;

import java.io.FileOutputStream;
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
      start(() -> own(outer), "owns");
      while (LOCK.getQueueLength() + i <= threads) {
        Thread.sleep(10);
      }
      start(() -> want(outer), "wants");
    }
    Thread.sleep(300);
    try (FileOutputStream file = new FileOutputStream(args[0])) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, false);
      sampler.begin();
      for (int i = Integer.parseInt(args[1]); i > 0; i--) {
        Thread.sleep(100);
        sampler.sample(System.nanoTime());
      }
      sampler.end();
      out.close();
    }
    System.exit(0);
  }

  private static void start(Runnable r, String name) {
    Thread t = new Thread(r, name);
    t.setDaemon(true);
    t.start();
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
