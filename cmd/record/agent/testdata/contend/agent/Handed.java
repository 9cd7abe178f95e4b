package contend.agent;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/**
 * A thread gets the monitor it waited for between a look and its stop: prints whether it
 * is taken to wait still, in the section, and if it stood where threads wait.
 */
public final class Handed {
  private static volatile boolean done;

  public static void main(String[] args) throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Thread t = new Thread(() -> {
      synchronized (Handed.class) {
        while (!done) {
          Thread.yield();
        }
      }
    });
    Living.One one = new Living.One(t, true, 0, 0);
    synchronized (Handed.class) {
      t.start();
      do {
        one.was = threads.getThreadInfo(one.id, 0);
      } while (one.was.getThreadState() != Thread.State.BLOCKED);
      one.blocked = true;
      one.stood();
      one.stood(); // it has waited for longer
    }
    ThreadInfo after;
    do {
      after = threads.getThreadInfo(one.id, 9);
    } while (after.getThreadState() == Thread.State.BLOCKED);
    done = true;
    System.out.println(one.waitsStill(after, 0, false) + " " + one.waitsStill(after, 0, true));
  }
}
