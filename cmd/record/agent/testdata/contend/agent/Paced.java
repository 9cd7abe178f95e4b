package contend.agent;

/**
 * Threads wait all the while that is recorded, at more samples a second than one should pay for.
 * arguments: the trace, samples a second, how many threads, for how many seconds.
 */
public final class Paced {
  private static volatile boolean done; // the recording
  private static int entered;

  public static void main(String[] args) throws Exception {
    synchronized (Paced.class) {
      for (int i = Integer.parseInt(args[2]); i > 0; i--) {
        Thread t = new Thread(Paced::enter);
        t.setDaemon(true);
        t.start();
      }
      Recorder.start("file=" + args[0] + ",rate=" + args[1] + ",seconds=" + args[3], () -> done = true);
      while (!done) {
        Thread.sleep(50);
      }
    }
    System.exit(0);
  }

  private static void enter() {
    synchronized (Paced.class) {
      entered++;
    }
  }
}
