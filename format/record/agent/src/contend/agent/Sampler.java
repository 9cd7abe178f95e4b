package contend.agent;

import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One sample: which locks are contended, who owns each, and who waits for it,
 * all with their stacks.
 *
 * Two steps keep it cheap. All threads are looked at without stopping the
 * program, which gives states, locks and owners. Then one stop shows the stacks
 * of the few that matter: those who wait or own, and those who did lately. What
 * the stop shows is the sample, so that owner and waiters belong together.
 */
final class Sampler {
  static final String OWN_THREAD = "contend-sampler";
  private static final long LATELY_NANOS = 2_000_000_000L;
  private static final int MANY = 64; // above, stacks of threads that have not moved are not taken again
  private static final int DEPTH = 1024;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final TraceWriter out;
  private final long period;
  private final Names names;
  private final Blocked blocked;
  private final Map<Long, Long> lately = new HashMap<>(); // thread to when it last waited or owned
  private final Map<Long, Known> known = new HashMap<>();
  private long last; // sample, in System.nanoTime()
  private long epoch; // what System.nanoTime() lacks to the time of day

  Sampler(TraceWriter out, long period) {
    this.out = out;
    this.period = period;
    this.names = new Names(out);
    this.blocked = new Blocked(threads, out);
  }

  void begin() throws IOException {
    epoch = offset();
    out.begin(TraceWriter.SETTING).text("recorder").text("contend agent").signed(0).end();
    out.begin(TraceWriter.SETTING).text("sampling-period").text(Long.toString(period)).signed(0).end();
    blocked.begin();
  }

  /** Writes what the JVM measured of the samples so far. */
  void measured() throws IOException {
    blocked.write(last + epoch);
  }

  /** Leaves the JVM as it was. */
  void end() {
    blocked.end();
  }

  // The clock that gives the time of day may tick in milliseconds: the offset
  // is taken just after a tick.
  private static long offset() {
    Instant before = Instant.now(), now = before;
    long until = System.nanoTime() + 3_000_000;
    while (now.equals(before) && System.nanoTime() < until) {
      now = Instant.now();
    }
    return now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
  }

  void sample(long intended) throws IOException {
    ThreadInfo[] all = threads.getThreadInfo(threads.getAllThreadIds(), 0);
    names.trim();
    names.live(all);
    Map<Long, ThreadInfo> shown = look(all);
    long now = System.nanoTime();
    if (!shown.isEmpty()) {
      now = stop(shown);
    }
    write(intended, now, shown);
  }

  /** Those who matter among all threads, as they stand without a stop. */
  private Map<Long, ThreadInfo> look(ThreadInfo[] all) {
    long now = System.nanoTime();
    Map<Long, ThreadInfo> byId = new HashMap<>();
    boolean contended = false;
    for (ThreadInfo t : all) {
      if (t == null || !names.counts(t)) {
        continue;
      }
      byId.put(t.getThreadId(), t);
      blocked.look(t, now);
      if (wants(t)) {
        contended = true;
        lately.put(t.getThreadId(), now);
        if (t.getLockOwnerId() > 0) {
          lately.put(t.getLockOwnerId(), now);
        }
      }
    }
    blocked.looked(now);
    Map<Long, ThreadInfo> shown = new LinkedHashMap<>();
    for (Iterator<Long> at = lately.values().iterator(); at.hasNext(); ) {
      if (now - at.next() > LATELY_NANOS) {
        at.remove();
      }
    }
    known.keySet().retainAll(lately.keySet());
    if (contended || blocked.returning(now, LATELY_NANOS)) {
      for (Long id : lately.keySet()) {
        if (byId.containsKey(id)) {
          shown.put(id, byId.get(id));
        }
      }
    }
    return shown;
  }

  /** Takes the stacks, and the states that belong to them; returns when that was. */
  private long stop(Map<Long, ThreadInfo> shown) {
    List<Long> moved = new ArrayList<>();
    for (Map.Entry<Long, ThreadInfo> e : shown.entrySet()) {
      Known k = known.get(e.getKey());
      if (shown.size() <= MANY || k == null || !k.stands(e.getValue())) {
        moved.add(e.getKey());
      }
    }
    long before = System.nanoTime();
    ThreadInfo[] taken = threads.getThreadInfo(array(moved), DEPTH);
    long after = System.nanoTime();
    for (int i = 0; i < taken.length; i++) {
      if (taken[i] == null) { // it has ended meanwhile
        shown.remove(moved.get(i));
        known.remove(moved.get(i));
      } else {
        shown.put(moved.get(i), taken[i]);
        known.put(moved.get(i), new Known(taken[i]));
      }
    }
    return before + (after - before) / 2;
  }

  private static long[] array(List<Long> ids) {
    long[] out = new long[ids.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = ids.get(i);
    }
    return out;
  }

  private void write(long intended, long now, Map<Long, ThreadInfo> shown) throws IOException {
    Map<Lock, Contended> locks = new LinkedHashMap<>();
    for (ThreadInfo t : shown.values()) {
      if (notified(t)) {
        blocked.returns(t.getThreadId(), last == 0 ? period : Math.min(now - last, 10 * period));
      } else if (wants(t)) {
        Lock l = new Lock(t.getLockInfo());
        Contended c = locks.get(l);
        if (c == null) {
          locks.put(l, c = new Contended(t));
        }
        c.waiters.add(t);
      }
    }
    last = now;
    for (Map.Entry<Lock, Contended> e : locks.entrySet()) {
      names.announce(e.getKey(), e.getValue(), this, shown);
    }
    out.begin(TraceWriter.TICK).time(now + epoch).signed(intended - now).signed(0).number(names.alive()).number(names.idle()).end();
    for (Map.Entry<Lock, Contended> e : locks.entrySet()) {
      Contended c = e.getValue();
      out.begin(TraceWriter.CONTENTION).time(now + epoch).signed(0).number(names.lock(e.getKey()));
      owners(c, shown);
      out.number(c.waiters.size());
      for (ThreadInfo w : c.waiters) {
        StackTraceElement[] s = stack(w);
        out.number(names.thread(w.getThreadId())).number(names.stack(s)).number(Locks.shares(c.kind, s) ? 1 : 0);
      }
      out.end();
    }
  }

  private void owners(Contended c, Map<Long, ThreadInfo> shown) throws IOException {
    if (c.owner > 0) {
      ThreadInfo o = shown.get(c.owner);
      out.number(1).number(names.thread(c.owner)).number(o == null ? 0 : names.stack(stack(o))).number(0);
    } else if (c.kind == Locks.MONITOR || c.kind == Locks.SYNCHRONIZER) {
      out.number(0); // free, and not yet taken
    } else {
      out.number(1).number(0).number(0).number(1); // readers and permits have no name
    }
  }

  /** A thread that is blocked on a lock, or parked at one. */
  private static boolean wants(ThreadInfo t) {
    LockInfo lock = t.getLockInfo();
    if (lock == null) {
      return false;
    }
    switch (t.getThreadState()) {
      case BLOCKED:
        return true;
      case WAITING:
      case TIMED_WAITING:
        return Locks.kind(lock.getClassName()) != Locks.NONE;
      default:
        return false;
    }
  }

  // A thread that was notified is blocked as well until it has its monitor
  // back, or is called runnable while nobody owns that. It did not come for the
  // lock.
  private boolean notified(ThreadInfo t) {
    Thread.State state = t.getThreadState();
    StackTraceElement[] s = stack(t);
    return (state == Thread.State.BLOCKED || state == Thread.State.RUNNABLE)
        && s.length > 0 && s[0].getClassName().equals("java.lang.Object") && s[0].getMethodName().startsWith("wait");
  }

  StackTraceElement[] stack(ThreadInfo t) {
    Known k = known.get(t.getThreadId());
    return k == null ? new StackTraceElement[0] : k.stack;
  }

  /** A lock's identity: class and identity hash, whose 31 bits alone may collide. */
  static final class Lock {
    final String name;
    final int hash;

    Lock(LockInfo l) {
      name = l.getClassName();
      hash = l.getIdentityHashCode();
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Lock && ((Lock) o).hash == hash && ((Lock) o).name.equals(name);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** A lock at the instant of a sample. */
  static final class Contended {
    final int kind;
    final List<ThreadInfo> waiters = new ArrayList<>();
    final long owner;

    Contended(ThreadInfo first) {
      kind = first.getThreadState() == Thread.State.BLOCKED ? Locks.MONITOR : Locks.kind(first.getLockInfo().getClassName());
      owner = first.getLockOwnerId();
    }
  }

  /** A thread's stack when it was last taken, and what would have changed had it moved since. */
  private static final class Known {
    final StackTraceElement[] stack;
    private final Thread.State state;
    private final long blocked, waited;

    Known(ThreadInfo t) {
      stack = t.getStackTrace();
      state = t.getThreadState();
      blocked = t.getBlockedCount();
      waited = t.getWaitedCount();
    }

    boolean stands(ThreadInfo t) {
      return state != Thread.State.RUNNABLE && state == t.getThreadState() && blocked == t.getBlockedCount() && waited == t.getWaitedCount();
    }
  }
}
