package contend.agent;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows a sampler threads and locks that come and go, and prints how much memory
 * it holds, in bytes: once it has seen half of them, and at the end.
 * argument: how many rounds of 100 threads, each blocked on a lock of its own.
 */
public final class Bound {
  private static final int EACH = 100;

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    TraceWriter out = new TraceWriter(new OutputStream() {
      @Override
      public void write(int b) {}

      @Override
      public void write(byte[] b, int from, int n) {}
    });
    Sampler sampler = new Sampler(out, false);
    sampler.begin();
    for (int i = 1; i <= rounds; i++) {
      hold(EACH, new ArrayList<>(), sampler);
      if (i % 10 == 0) {
        sampler.measured();
        out.flush();
      }
      if (i == rounds / 2 || i == rounds) {
        Thread.sleep(2100); // so long a thread is remembered that waited
        sampler.sample(System.nanoTime());
        sampler.measured();
        out.flush();
        System.out.println(used());
      }
    }
    sampler.end();
  }

  /** Holds one more lock that a thread waits for, and at last samples. */
  private static void hold(int more, List<Thread> waiting, Sampler sampler) throws Exception {
    if (more == 0) {
      for (Thread t : waiting) {
        while (t.getState() != Thread.State.BLOCKED) {
          Thread.yield();
        }
      }
      sampler.sample(System.nanoTime());
      return;
    }
    final Object lock = new Object();
    synchronized (lock) {
      Thread t = new Thread(() -> { synchronized (lock) { return; } });
      waiting.add(t);
      t.start();
      hold(more - 1, waiting, sampler);
    }
    waiting.get(EACH - more).join();
  }

  private static long used() {
    Runtime r = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, r.totalMemory() - r.freeMemory());
    }
    return least;
  }
}
