package contend.agent;

import java.io.FileOutputStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads wait all the while for a monitor, whose owner waits for a lock as fewer others do. After
 * each sample the next part of them has its turn.
 * arguments: the trace, how many samples, how many threads at the monitor, and at the lock.
 */
public final class Drawn {
  private static final ReentrantLock LOCK = new ReentrantLock();

  public static void main(String[] args) throws Exception {
    LOCK.lock();
    Thread owner = Sampled.start(Drawn::enter, "owns");
    while (!LOCK.hasQueuedThread(owner)) {
      Thread.sleep(10);
    }
    start(Drawn::enter, Integer.parseInt(args[2]));
    start(LOCK::lock, Integer.parseInt(args[3]));
    try (FileOutputStream file = new FileOutputStream(args[0])) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, false);
      sampler.begin();
      for (int i = Integer.parseInt(args[1]); i > 0; i--) {
        sampler.sample(System.nanoTime());
        sampler.measured();
      }
      sampler.end();
      out.close();
    }
    System.exit(0);
  }

  private static void start(Runnable r, int threads) throws InterruptedException {
    Thread last = null;
    for (int i = 0; i < threads; i++) {
      last = Sampled.start(r, "waits");
      while (last.getState() != Thread.State.BLOCKED && last.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
    }
  }

  private static void enter() {
    synchronized (Drawn.class) {
      LOCK.lock();
    }
  }
}
