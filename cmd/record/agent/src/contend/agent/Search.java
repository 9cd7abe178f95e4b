package contend.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out of which classes the contended locks are: by looks at what threads wait for, without a stop, and many of them,
 * as most waits are short. It goes on while locks are recorded: others may become contended. Classes are rewritten a batch at
 * a time, and less and less often, because each time costs.
 */
final class Search implements Runnable {
  private static final long FIRST_NANOS = 1_000_000, LATER_NANOS = 10_000_000; // from one look to the next, at least
  private static final int COSTS = 50; // one part in so many of the time goes into looks, at most
  private static final int ASKED = 16; // threads in a look, at most: the JVM is asked at which monitor they wait
  private static final int WAITING = 2; // of these, not to enter it but for a notification
  private static final int REMEMBERED = 1 << 10; // of their waits
  private static final long SAMPLE_NANOS = 50_000_000; // from one sample to the next: these show virtual threads, too
  private static final int LEAST = 200, LONGER = 3; // looks at first, on a machine that is busy for so many times as long
  private static final int SEEN = 2, ONE_IN = 1000; // contended: seen so often, and in so many looks
  private static final long BATCH_NANOS = 1_000_000_000L; // to the first batch, and twice as long to each one after it
  private static final long LISTED_NANOS = 1_000_000_000L; // for so long threads are not listed again where none came

  private final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
  private final Random random = new Random();
  private final Exact exact;
  private final Map<String, Integer> seen = new HashMap<>(); // in how many looks, by class
  private final Set<String> followed = new HashSet<>();
  private final Map<String, String> waits = new HashMap<>(); // for notifications, by thread and number: the class
  private Thread[] threads = {};
  private long started = -1, listed, took;
  private int looks;
  private volatile boolean ends;

  Search(Exact exact) {
    this.exact = exact;
  }

  /** Searches for so long, and returns what it found. */
  Set<String> first(double seconds) throws IOException {
    Sampler sampler = new Sampler(new TraceWriter(new Nowhere()), true);
    long from = System.nanoTime(), until = from + (long) (seconds * 1e9), last = until + LONGER * (until - from);
    long sampled = from - SAMPLE_NANOS;
    for (long now; (now = System.nanoTime()) < until || looks < LEAST && now < last; ) {
      look(now);
      if (now - sampled >= SAMPLE_NANOS) {
        sampled = now;
        sampler.sample(now);
      }
      LockSupport.parkNanos(Math.max(FIRST_NANOS, COSTS * took));
    }
    for (String type : sampler.lockClasses()) {
      saw(type);
    }
    return found();
  }

  private static final class Nowhere extends OutputStream {
    @Override
    public void write(int b) {}
  }

  /** Takes in that a sample showed a lock of this class contended: there are few samples. */
  synchronized void saw(String type) {
    seen.put(type, Integer.MAX_VALUE);
  }

  /** Returns the classes that were seen often enough since the last time, and will be followed. */
  private synchronized Set<String> found() {
    Set<String> out = new HashSet<>();
    for (Map.Entry<String, Integer> e : seen.entrySet()) {
      boolean own = e.getKey().contains(Probes.NAME); // what the probes themselves lock
      if (!own && e.getValue() >= Math.max(SEEN, looks / ONE_IN) && followed.add(e.getKey())) {
        out.add(e.getKey());
      }
    }
    seen.clear();
    looks = 0;
    return out;
  }

  @Override
  public void run() {
    long wait = BATCH_NANOS, next = System.nanoTime() + wait;
    try {
      for (long now; !ends; LockSupport.parkNanos(Math.max(LATER_NANOS, COSTS * took))) {
        look(now = System.nanoTime());
        if (now < next) {
          continue;
        }
        Set<String> more = found();
        if (!more.isEmpty()) {
          exact.follow(more);
          wait *= 2;
        }
        next = System.nanoTime() + wait;
      }
    } catch (IOException | InterruptedException | RuntimeException | OutOfMemoryError e) {
      exact.fail(e);
    }
  }

  void end() {
    ends = true;
  }

  private void look(long now) {
    long begun = cpu();
    list(now);
    Set<String> types = new HashSet<>();
    long[] ask = new long[ASKED];
    int n = 0, waiting = 0;
    for (int i = 0, first = threads.length == 0 ? 0 : random.nextInt(threads.length); i < threads.length; i++) {
      Thread t = threads[(first + i) % threads.length];
      Thread.State state = t.getState();
      Object at = Living.waits(state) ? LockSupport.getBlocker(t) : null;
      if (at != null && Locks.kind(at.getClass().getName()) != Locks.NONE) {
        types.add(at.getClass().getName());
      } else if (n < ASKED && (state == Thread.State.BLOCKED || at == null && Living.waits(state) && waiting++ < WAITING)) {
        ask[n++] = t.getId();
      }
    }
    for (ThreadInfo t : n == 0 ? new ThreadInfo[0] : bean.getThreadInfo(Arrays.copyOf(ask, n), 0)) {
      String type = t == null ? null : wanted(t);
      if (type != null) {
        types.add(type);
      }
    }
    count(types);
    took = cpu() - begun;
  }

  private long cpu() { // not the time of day: on a busy machine a look waits for a processor
    return bean.isCurrentThreadCpuTimeSupported() ? bean.getCurrentThreadCpuTime() : 0;
  }

  /**
   * The class of the lock that a thread waits for; null if that is not known. Of one that was notified the JVM tells it
   * only while another thread owns it: so it is remembered from before.
   */
  private String wanted(ThreadInfo t) {
    String at = t.getLockInfo() == null ? null : t.getLockInfo().getClassName();
    String wait = t.getThreadId() + "." + t.getWaitedCount();
    if (at == null) {
      return t.getThreadState() == Thread.State.RUNNABLE ? waits.get(wait) : null;
    } else if (t.getThreadState() == Thread.State.BLOCKED) {
      return at;
    } else if (waits.size() >= REMEMBERED) {
      waits.clear();
    }
    waits.put(wait, at);
    return null;
  }

  private synchronized void count(Set<String> types) {
    looks++;
    for (String type : types) {
      Integer n = seen.get(type);
      seen.put(type, n == null ? 1 : Math.max(n, n + 1)); // not beyond what a sample stands for
    }
  }

  /** Lists the program's threads. */
  private void list(long now) {
    long total = bean.getTotalStartedThreadCount();
    if (total != started || now - listed > LISTED_NANOS) {
      started = total;
      listed = now;
      threads = Living.ofProgram();
    }
  }
}
