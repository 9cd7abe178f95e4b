package contend.agent;

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
      Sampled.record(args[0], !args[2].isEmpty(), Integer.parseInt(args[1]), 50);
    }
    System.exit(0);
  }

  private static void start(Runnable r, Thread.State until) throws InterruptedException {
    Thread t = Sampled.start(r, until == Thread.State.WAITING ? "owns" : "wants");
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
