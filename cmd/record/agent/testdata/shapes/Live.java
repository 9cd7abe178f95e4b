package shapes;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Three threads that contend for a monitor, and one that waits at it, until standard input ends. For each line of it,
 * prints whether the waiting thread runs rewritten code; from the line "late" on they contend for another one, too. At the end it prints whether no increment was lost.
 */
public final class Live {
  private static final Object told = new Shapes.Box();
  private static volatile boolean ends, late;

  /** What the threads run in loops; a loop itself is never rewritten. */
  static final class Work {
    static final Shapes.Box box = new Shapes.Box();

    static void increment() {
      synchronized (box) {
        box.n++;
        Shapes.work(2000);
      }
    }

    static void waits() throws InterruptedException {
      synchronized (told) {
        told.wait(5);
      }
    }
  }

  /** What they run, too, once they are told to. */
  static final class Late {
    static final Object box = new Late();

    static void enter() {
      synchronized (box) {
        Shapes.work(4000);
      }
    }
  }

  private static void increments(int[] n) throws InterruptedException {
    while (!ends) {
      Work.increment();
      n[0]++;
      if (late) {
        Late.enter();
      }
      if (n[0] % 8 == 0) {
        Thread.sleep(1);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    List<Thread> all = new ArrayList<>();
    List<int[]> counts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int[] n = new int[1];
      counts.add(n);
      all.add(Shapes.start("worker", () -> increments(n)));
    }
    Thread waiter = Shapes.start("waiter", () -> {
      while (!ends) {
        Work.waits();
      }
    });
    all.add(waiter);
    int large = Large.increments(); // loaded, and too large to be rewritten
    System.out.println("runs");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      late |= line.equals("late");
      System.out.println(rewritten(waiter) ? "rewritten" : "as it was");
    }
    ends = true;
    for (Thread t : all) {
      t.join();
    }
    for (int[] n : counts) {
      large += n[0];
    }
    System.out.println(Work.box.n == large ? "done" : Work.box.n + " increments of " + large);
  }

  private static boolean rewritten(Thread waiter) throws InterruptedException {
    Thread.sleep(50); // for a wait that began before
    for (int i = 0; i < 1000; i++) {
      boolean waits = false;
      for (StackTraceElement f : waiter.getStackTrace()) {
        if (f.getClassName().startsWith("java.lang.Contend$")) {
          return true;
        }
        waits |= f.getMethodName().equals("wait");
      }
      if (waits) {
        return false;
      }
      Thread.sleep(1);
    }
    throw new IllegalStateException("it does not wait");
  }
}
