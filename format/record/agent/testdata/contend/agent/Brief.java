package contend.agent;

import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Threads that wait for a monitor for half of the time between two samples, and have
 * ended by the next: each is seen once or not at all.
 * arguments: the trace, how many rounds, milliseconds between samples.
 */
public final class Brief {
  private static final int EACH = 8;

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[1]);
    long half = Long.parseLong(args[2]) * 1_000_000 / 2;
    try (FileOutputStream file = new FileOutputStream(args[0])) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, 2 * half, false);
      sampler.begin();
      long next = System.nanoTime();
      for (int i = 0; i < rounds; i++, next += 2 * half) {
        round(half, i % 4 * half / 2 + half / 4, sampler);
        until(next + 2 * half);
      }
      sampler.measured();
      sampler.end();
      out.close();
    }
  }

  /** Holds a monitor that threads wait for, and samples so long after their wait began, be it over by then. */
  private static void round(long half, long after, Sampler sampler) throws Exception {
    List<Thread> waiting = new ArrayList<>();
    long begun;
    synchronized (Brief.class) {
      for (int i = 0; i < EACH; i++) {
        Thread t = new Thread(() -> { synchronized (Brief.class) { return; } });
        waiting.add(t);
        t.start();
      }
      for (Thread t : waiting) {
        while (t.getState() != Thread.State.BLOCKED) {
          Thread.yield();
        }
      }
      begun = System.nanoTime();
      if (after < half) {
        until(begun + after);
        sampler.sample(System.nanoTime());
        sampler.measured();
      }
      until(begun + half);
    }
    for (Thread t : waiting) {
      t.join();
    }
    if (after >= half) {
      until(begun + after);
      sampler.sample(System.nanoTime());
      sampler.measured();
    }
  }

  private static void until(long at) throws InterruptedException {
    long ns = at - System.nanoTime();
    if (ns > 0) {
      Thread.sleep(ns / 1_000_000, (int) (ns % 1_000_000));
    }
  }
}
