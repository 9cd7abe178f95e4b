package contend.agent;

import java.io.FileOutputStream;

/**
 * A thread that was notified wants its monitor back, which another has, and owns a second
 * one, which a third waits for.
 * arguments: the trace, how many samples, 50 ms apart, not empty for evidence.
 */
public final class Outer {
  private static final Object OUTER = new Outer(), INNER = new Object();

  public static void main(String[] args) throws Exception {
    start(Outer::own, Thread.State.WAITING);
    synchronized (INNER) {
      INNER.notify();
      start(Outer::want, Thread.State.BLOCKED);
      try (FileOutputStream file = new FileOutputStream(args[0])) {
        TraceWriter out = new TraceWriter(file);
        Sampler sampler = new Sampler(out, !args[2].isEmpty());
        sampler.begin();
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
          Thread.sleep(50);
          sampler.sample(System.nanoTime());
        }
        sampler.end();
        out.close();
      }
    }
    System.exit(0);
  }

  private static void start(Runnable r, Thread.State until) throws InterruptedException {
    Thread t = new Thread(r, until == Thread.State.WAITING ? "owns" : "wants");
    t.setDaemon(true);
    t.start();
    while (t.getState() != until) {
      Thread.sleep(10);
    }
  }

  private static void own() {
    synchronized (OUTER) {
      synchronized (INNER) {
        try {
          INNER.wait();
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  private static void want() {
    synchronized (OUTER) {
      return;
    }
  }
}
