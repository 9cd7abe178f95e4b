package contend.agent;

import java.io.FileOutputStream;

/**
 * Threads wait to be notified, and return to a monitor that others wait to enter, on
 * busy processors.
 * arguments: the trace, how many samples.
 */
public final class Notified {
  private static final Object BOX = new Object();
  private static volatile boolean done;
  private static int full;

  public static void main(String[] args) throws Exception {
    for (int i = 0; i < 4; i++) {
      start(Notified::put);
      start(Notified::take);
    }
    try (FileOutputStream file = new FileOutputStream(args[0])) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, false);
      sampler.begin();
      for (int i = Integer.parseInt(args[1]); i > 0; i--) {
        Thread.sleep(3);
        sampler.sample(System.nanoTime());
      }
      done = true;
      sampler.measured();
      sampler.end();
      out.close();
    }
  }

  private static void start(Runnable r) {
    Thread t = new Thread(r);
    t.setDaemon(true);
    t.start();
  }

  private static void put() {
    while (!done) {
      spin(50_000);
      synchronized (BOX) {
        spin(20_000);
        full++;
        BOX.notifyAll();
      }
    }
  }

  private static void take() {
    while (!done) {
      synchronized (BOX) {
        try {
          while (full == 0) {
            BOX.wait(5);
          }
        } catch (InterruptedException e) {
          return;
        }
        full = 0;
        spin(20_000);
      }
    }
  }

  private static void spin(long ns) {
    for (long until = System.nanoTime() + ns; System.nanoTime() < until; ) {
      // busy
    }
  }
}
