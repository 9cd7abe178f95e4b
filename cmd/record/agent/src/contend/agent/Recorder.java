package contend.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * One recording: a thread that samples at random intervals around a period and
 * writes what it saw, once a second, until its lease ends, its time is over or
 * the JVM shuts down.
 *
 * Options: exact, alone where the program starts, else with the seconds for which contended locks are looked for:
 * who holds them is recorded; file, where the trace goes; rate, samples a second,
 * fewer where they cost over overhead, a {@link Pace share} of the processor time; lease, a file
 * whose removal, or 30 s without a touch, ends the recording; seconds, after
 * which it ends by itself; evidence, not empty where a flight recording has the
 * waits.
 */
public final class Recorder implements Runnable {
  private static final long LEASE_MILLIS = 30_000;
  private static final long LOOK_NANOS = 200_000_000; // for the lease, at least so often
  private static final long END_MILLIS = 5_000; // of a shutdown that the end of the trace may take
  private static final long FLUSH_NANOS = 1_000_000_000L;
  private static final long SELDOM = FLUSH_NANOS / 4; // samples so far apart are written one by one: someone watches

  private final TraceWriter out;
  private final Sampler sampler;
  private final Exact exact; // null where holds are not recorded
  private final File lease;
  private final Pace pace;
  private final long end; // in System.nanoTime(), Long.MAX_VALUE when open
  private final AutoCloseable loader;
  private final Random random = new Random();
  private volatile boolean stopped;
  private Thread thread, hook;

  private Recorder(String options, Instrumentation jvm, AutoCloseable loader) throws Exception {
    this.loader = loader;
    double rate = Double.parseDouble(option(options, "rate", "20"));
    if (!(rate > 0 && rate <= 1000)) {
      throw new IllegalArgumentException("rate=" + rate + ": between 0 and 1000 samples a second");
    }
    double share = Double.parseDouble(option(options, "overhead", "0.012"));
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("overhead=" + share + ": above 0 and at most 1");
    }
    double seconds = Double.parseDouble(option(options, "seconds", "0"));
    end = seconds > 0 ? System.nanoTime() + (long) (seconds * 1e9) : Long.MAX_VALUE;
    String leased = option(options, "lease", "");
    lease = leased.isEmpty() ? null : new File(leased);
    OpenOption how = StandardOpenOption.CREATE; // the program's user named the file
    if (lease != null) {
      how = LinkOption.NOFOLLOW_LINKS; // the recording process prepared it: it is only opened, never through a link
    }
    out = new TraceWriter(Files.newOutputStream(new File(option(options, "file", "contend-agent.bin")).toPath(),
        StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING, how));
    pace = new Pace(out, rate, share);
    exact = exact(options, jvm);
    sampler = new Sampler(out, !option(options, "evidence", "").isEmpty());
  }

  private static Exact exact(String options, Instrumentation jvm) throws Exception {
    boolean alone = Arrays.asList(options.split(",")).contains("exact");
    double seconds = Double.parseDouble(option(options, "exact", "0"));
    if (!alone && seconds <= 0) {
      return null;
    } else if (jvm == null) {
      throw new IllegalStateException("the agent of an earlier contend is in this JVM: only after a restart holds can be recorded");
    }
    return new Exact(jvm, alone ? 0 : seconds);
  }

  static String option(String options, String key, String missing) {
    for (String option : options.split(",")) {
      if (option.startsWith(key + "=")) {
        return option.substring(key.length() + 1);
      }
    }
    return missing;
  }

  /** Begins a recording and returns; the loader is closed when it has ended. */
  public static void start(String options, AutoCloseable loader) throws Exception {
    start(options, null, loader);
  }

  /** The same; jvm may be null where no class is to be rewritten. */
  public static void start(String options, Instrumentation jvm, AutoCloseable loader) throws Exception {
    final Recorder r = new Recorder(options, jvm, loader);
    r.thread = new Thread(r, Sampler.OWN_THREAD);
    r.thread.setDaemon(true);
    r.thread.setPriority(Thread.MAX_PRIORITY);
    r.thread.setContextClassLoader(null);
    r.hook = new Thread(r, "contend-shutdown");
    Runtime.getRuntime().addShutdownHook(r.hook);
    r.thread.start();
  }

  @Override
  public void run() {
    if (Thread.currentThread() == hook) {
      shutDown();
      return;
    }
    try {
      if (exact == null) {
        sampler.begin();
      } else {
        sampler.beside(exact);
        synchronized (out) {
          out.flush(); // who waits for the trace to begin sees that classes are rewritten
        }
      }
      synchronized (out) {
        pace.begin(System.nanoTime(), Pace.program(), sampler.cpu());
      }
      loop();
    } catch (IOException | InterruptedException | RuntimeException | OutOfMemoryError e) {
      out.fail(e); // what was flushed stays readable; the program must not notice
    } finally {
      close();
      unhook();
    }
  }

  private void loop() throws IOException {
    long intended = System.nanoTime(), flushed = intended;
    while (!stopped) {
      intended += (long) (pace.period() * (0.5 + random.nextDouble())); // a fixed grid would beat with the program's own
      if (intended > end || !waits(intended)) {
        return;
      }
      synchronized (out) { // what records holds writes, too
        sampler.sample(intended);
        boolean due = System.nanoTime() - flushed >= FLUSH_NANOS;
        if (due) {
          flushed = System.nanoTime();
          sampler.measured();
          pace.ran(flushed, Pace.program());
        }
        if (due || pace.period() >= SELDOM) {
          out.flush();
        }
        pace.sampled(sampler.cpu(), sampler.stood());
      }
      intended = Math.max(intended, System.nanoTime() - 10 * pace.period()); // after a long stop, do not catch up
    }
  }

  /** Waits until then; false if the recording ends before. */
  private boolean waits(long until) {
    for (long left; !stopped && !expired(); ) {
      if ((left = until - System.nanoTime()) <= 0) {
        return true;
      }
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
    }
    return false;
  }

  private boolean expired() {
    long touched = lease == null ? Long.MAX_VALUE : lease.lastModified(); // 0 when it is gone
    return lease != null && System.currentTimeMillis() - touched > LEASE_MILLIS;
  }

  /** Has the trace ended, and waits for that, but not for good: the JVM must end. */
  private void shutDown() {
    stopped = true;
    LockSupport.unpark(thread);
    try {
      thread.join(END_MILLIS);
    } catch (InterruptedException e) {
      // then it is cut
    }
  }

  private void close() {
    if (exact != null) {
      exact.end(stopped);
    }
    try {
      sampler.measured();
      pace.end(System.nanoTime());
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      out.fail(e);
    }
    sampler.end();
    out.close();
  }

  private void unhook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      loader.close();
    } catch (Exception e) {
      // the JVM is shutting down, or the jar is gone: nothing is left to do
    }
  }
}
