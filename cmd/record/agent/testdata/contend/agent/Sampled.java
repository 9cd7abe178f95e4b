package contend.agent;

import java.io.FileOutputStream;
import java.util.function.IntConsumer;

/** What programs have in common that are sampled while their threads stand or run. */
final class Sampled {
  private Sampled() {}

  /** Writes a trace of so many samples, that many milliseconds apart; after each, then is told how many there are. */
  static void record(String trace, boolean evidence, int samples, long apart, IntConsumer then) throws Exception {
    try (FileOutputStream file = new FileOutputStream(trace)) {
      TraceWriter out = new TraceWriter(file);
      Sampler sampler = new Sampler(out, evidence);
      sampler.begin();
      for (int i = 1; i <= samples; i++) {
        Thread.sleep(apart);
        sampler.sample(System.nanoTime());
        then.accept(i);
      }
      sampler.end();
      out.close();
    }
  }

  static void record(String trace, boolean evidence, int samples, long apart) throws Exception {
    record(trace, evidence, samples, apart, taken -> {});
  }

  /** Starts a thread that does not keep the program from ending. */
  static Thread start(Runnable r, String name) {
    Thread t = new Thread(r, name);
    t.setDaemon(true);
    t.start();
    return t;
  }
}
