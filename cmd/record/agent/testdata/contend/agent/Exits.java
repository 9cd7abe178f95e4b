package contend.agent;

import java.net.URL;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ends while it is recorded, and prints whether the loader of its threads was asked for anything.
 * argument: the trace.
 */
public final class Exits {
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static volatile boolean asked;

  private static final class Loader extends ClassLoader {
    Loader() {
      super(Exits.class.getClassLoader());
    }

    @Override
    public URL getResource(String name) {
      asked = true;
      return super.getResource(name);
    }
  }

  public static void main(String[] args) throws Exception {
    for (int i = 0; i < 3; i++) {
      Thread t = new Thread(Exits::inTurn, "turns");
      t.setDaemon(true);
      t.setContextClassLoader(new Loader());
      t.start();
    }
    Recorder.start("rate=1000,overhead=1,file=" + args[0], () -> {});
    Thread.sleep(4000);
    System.out.println(asked);
    System.exit(0);
  }

  private static void inTurn() {
    while (true) {
      LOCK.lock();
      try {
        for (long until = System.nanoTime() + 2_000_000; System.nanoTime() < until; ) {
          Thread.yield();
        }
      } finally {
        LOCK.unlock();
      }
    }
  }
}
