package contend.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Records who holds contended locks: has the classes that acquire them rewritten, so that they call
 * the {@link Probes}, and writes what these log. From the start of a program all its classes are
 * rewritten as they are loaded. In one that runs, a {@link Search} tells which locks are contended.
 */
final class Exact implements Runnable, Holds.Threads {
  private static final long LOOK_NANOS = 10_000_000, SAMPLE_NANOS = 1_000_000, WRITE_NANOS = 100_000_000, TIDY_NANOS = 1_000_000_000L;
  private static final int BUSIEST = 30_000; // events of a lock in a second: a log of more would cost too much
  private static final long PACE_NANOS = 20_000_000;
  private static final int EAGER = 256; // locks of a class that are recorded before one is seen contended

  private final Probes probes;
  private final Classes classes;
  private final Sites sites = new Sites();
  private final double find; // seconds; 0 from the start
  private final Search search; // null from the start
  private final Set<String> wanted = Collections.synchronizedSet(new TreeSet<String>()); // classes of locks
  private final Set<String> reported = new HashSet<>(), refused = new TreeSet<>(); // classes left alone; classes of locks
  private TraceWriter out;
  private Holds holds;
  private long epoch;
  private Thread thread;
  private final long[] events = new long[1 << 14];
  private boolean active;
  private volatile boolean ends;

  /** find: for how long contended locks are looked for; 0: the program starts. */
  Exact(Instrumentation jvm, double find) throws Exception {
    this.find = find;
    probes = new Probes(jvm);
    classes = new Classes(jvm, probes.internal, sites, find > 0);
    search = find > 0 ? new Search(this) : null;
    if (find == 0) {
      begin(EAGER);
      classes.begin();
    }
  }

  @Override
  public Thread get(int number) {
    return (Thread) probes.call("thread", number);
  }

  private void begin(int eager) {
    if (!(Boolean) probes.call("begin", wanted, eager, BUSIEST)) {
      throw new IllegalStateException("another recording records the holds of locks in this JVM");
    }
    active = true;
  }

  /** Begins to write to the trace; where the program runs, that takes some seconds. */
  void begin(TraceWriter out, Names names, long epoch) throws IOException, InterruptedException {
    this.out = out;
    this.epoch = epoch;
    holds = new Holds(out, names, sites, epoch, this);
    out.setting("tenures", "contended");
    if (search != null) {
      Set<String> found = classes.mayFollow(search.first(find));
      wanted.addAll(found);
      begin(0);
      report(found, found.isEmpty() ? 0 : classes.follow(wanted), 0);
      start(search, "contend-search");
    }
    thread = start(this, "contend-exact");
    thread.setPriority(Thread.MAX_PRIORITY);
  }

  private static Thread start(Runnable what, String name) {
    Thread out = new Thread(what, name);
    out.setDaemon(true);
    out.setContextClassLoader(null);
    out.start();
    return out;
  }

  /** Records locks of these classes, too, from some seconds later on. */
  void follow(Set<String> found) throws IOException, InterruptedException {
    Set<String> more = classes.mayFollow(found);
    if (more.isEmpty()) {
      return;
    }
    wanted.addAll(more);
    int rewritten = classes.follow(wanted);
    for (String name : more) {
      probes.call("want", name);
    }
    synchronized (out) {
      report(more, rewritten, System.nanoTime() + epoch);
      out.flush(); // somebody watches
    }
  }

  /** Takes in that a lock of a class was seen contended: from the start, more than some are recorded from now on. */
  void contended(String name) {
    if (search != null) {
      search.saw(name);
    } else if (wanted.add(name)) {
      probes.call("want", name);
    }
  }

  void fail(Throwable e) {
    synchronized (out) {
      out.fail(e);
    }
  }

  boolean records(Contended.Lock l) {
    return holds.records(l);
  }

  /** Takes in a sample of a thread. */
  void sample(long thread, long time, StackTraceElement[] frames) {
    holds.sample(thread, time, frames);
  }

  @Override
  public void run() {
    int[] looks = new int[1 << 14];
    long written = System.nanoTime(), paced = written, tidied = written, looked = written;
    boolean sampled = false;
    try {
      while (!ends) {
        LockSupport.parkNanos(sampled ? SAMPLE_NANOS : LOOK_NANOS);
        long now = System.nanoTime();
        if (sampled) {
          look(looks, now, Math.min(now - looked, 20 * SAMPLE_NANOS));
        }
        looked = now;
        if (now - paced >= PACE_NANOS) {
          synchronized (out) {
            take();
          }
          sampled = (Boolean) probes.call("pace", now - paced);
          paced = now;
        }
        if (now - written >= WRITE_NANOS) {
          written = now;
          write(now, false);
        }
        if (now - tidied >= TIDY_NANOS) {
          tidied = now;
          probes.call("tidy");
        }
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      fail(e);
    }
  }

  /** Takes in what has been logged; the trace is the caller's. */
  void take() throws IOException {
    for (int n = events.length; n > events.length - 8; ) {
      n = (Integer) probes.call("drain", (Object) events);
      Object[] locks = (Object[]) probes.call("contended");
      for (int i = 0; i < locks.length; i += 5) {
        if ((Boolean) locks[i + 4]) {
          refused.add(holds.refuse((Integer) locks[i]));
        } else {
          holds.lock((Integer) locks[i], (String) locks[i + 1], (Integer) locks[i + 2], (Integer) locks[i + 3]);
        }
      }
      for (int i = 0; i < n; i += 4) {
        holds.event(events[i], events[i + 1], events[i + 2], (int) events[i + 3]);
      }
    }
  }

  private void write(long now, boolean all) throws IOException {
    synchronized (out) {
      holds.write(now, all);
    }
  }

  private void look(int[] looks, long now, long weight) throws IOException {
    int n = (Integer) probes.call("sample", (Object) looks);
    synchronized (out) {
      for (int i = 0; i < n; i += 3 + 2 * (looks[i + 1] + looks[i + 2])) {
        holds.write(looks[i], now, weight, looks, i + 3, looks[i + 1], looks[i + 2]);
      }
    }
  }

  /** Ends the recording, and leaves the classes as they were. shutDown: the program ends. */
  void end(boolean shutDown) {
    ends = true;
    if (search != null) {
      search.end();
    }
    try {
      if (thread != null) {
        thread.join(5000);
        synchronized (out) {
          take();
        }
        write(System.nanoTime(), true);
        report();
      }
    } catch (IOException | InterruptedException | RuntimeException | OutOfMemoryError e) {
      out.fail(e);
    }
    if (active) {
      probes.call("end");
      classes.end(shutDown);
    }
  }

  /** Writes which locks are followed since when, for which how many classes were rewritten, and which were left alone. */
  private void report(Set<String> locks, int rewritten, long since) throws IOException {
    for (String name : new TreeSet<>(locks)) {
      out.setting("followed", name, since);
    }
    reportLeft();
    if (search != null) {
      out.setting("rewritten", Integer.toString(rewritten), 0);
    }
  }

  private void reportLeft() throws IOException {
    for (Map.Entry<String, String> e : classes.left().entrySet()) {
      if (reported.add(e.getKey())) {
        out.setting("left-alone " + e.getKey(), e.getValue());
      }
    }
  }

  private void report() throws IOException {
    reportLeft();
    for (String name : refused) {
      out.setting("not-followed", name);
    }
    long[] lost = (long[]) probes.call("lost");
    if (lost[0] + lost[1] > 0) {
      out.note("exact-lost", lost[0] + " events of locks were lost, and " + lost[1] + " locks could not be recorded: their owners may be wrong or missing");
    }
  }
}
