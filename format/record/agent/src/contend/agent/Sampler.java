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
import java.util.Random;

/**
 * One sample: which locks are contended, who owns each, and who waits for it,
 * all with their stacks.
 *
 * Three steps keep it cheap. The threads themselves show who waits for a lock.
 * Of those the JVM is asked, without stopping the program, for lock and owner.
 * Then one stop shows the stacks of the few that {@link Choice matter}. What the
 * stop shows is the sample, so that owner and waiters belong together.
 *
 * While the JVM waits for all threads to stand still, one that was woken may get
 * the lock that nobody had, but none gives one away. Where all processors are
 * busy that takes long, and such locks would be seen owned too often, by whom has
 * just got them: when a stop came late, they count as free. Where the waits are
 * recorded, too, these tell.
 */
final class Sampler {
  static final String OWN_THREAD = "contend-sampler";
  private static final int DEPTH = 1024;
  private static final long LATE_NANOS = 1_000_000; // and for each thread that is stopped for:
  private static final long LATE_EACH_NANOS = 50_000;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final TraceWriter out;
  private final long period;
  private final boolean evidence;
  private final Living living;
  private final Names names;
  private final Blocked blocked;
  private final Random random = new Random();
  private boolean late; // the last stop
  private long last; // sample, in System.nanoTime()
  private long epoch; // what System.nanoTime() lacks to the time of day

  /** evidence: the waits are recorded otherwise, the samples only show who owned the locks. */
  Sampler(TraceWriter out, long period, boolean evidence) {
    this.out = out;
    this.period = period;
    this.evidence = evidence;
    this.living = new Living(threads, out);
    this.names = new Names(out);
    this.blocked = new Blocked(threads, out);
  }

  void begin() throws IOException {
    epoch = offset();
    out.begin(TraceWriter.SETTING).text("recorder").text("contend agent").signed(0).end();
    out.begin(TraceWriter.SETTING).text("sampling-period").text(Long.toString(period)).signed(0).end();
    if (!evidence) {
      blocked.begin();
    }
  }

  /** Writes what the JVM measured of the samples so far. */
  void measured() throws IOException {
    if (!evidence) {
      long now = System.nanoTime();
      living.refresh(now);
      account(living.list(false, now));
      blocked.write(last + epoch, living);
    }
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
    names.trim();
    living.refresh(System.nanoTime());
    if (!evidence) {
      account(living.list(last != 0, System.nanoTime()));
    }
    List<Living.One> want = living.wanting();
    if (evidence) {
      want = Choice.some(want, random);
    }
    Map<Long, ThreadInfo> before = account(want), shown = new LinkedHashMap<>();
    long now = System.nanoTime();
    blocked.looked(now);
    if (!want.isEmpty()) {
      now = stop(new Choice(want, before, living, evidence, now, random), before, shown);
    }
    write(intended, now, before, shown);
  }

  /** How threads stand, without a stop, and what they were blocked. */
  private Map<Long, ThreadInfo> account(List<Living.One> of) {
    Map<Long, ThreadInfo> out = new HashMap<>();
    if (of.isEmpty()) {
      return out;
    }
    ThreadInfo[] all = threads.getThreadInfo(Living.ids(of), 0);
    long now = System.nanoTime();
    for (ThreadInfo t : all) {
      if (t != null) {
        out.put(t.getThreadId(), t);
        blocked.look(t, now);
      }
    }
    return out;
  }

  /** Takes the stacks, and the states that belong to them; returns when they were asked for. */
  private long stop(Choice of, Map<Long, ThreadInfo> before, Map<Long, ThreadInfo> shown) {
    for (Living.One t : of.stand) {
      shown.put(t.id, before.get(t.id));
    }
    List<Living.One> moved = new ArrayList<>(of.stop);
    long begun = System.nanoTime();
    ThreadInfo[] taken = threads.getThreadInfo(Living.ids(moved), DEPTH);
    long ended = System.nanoTime();
    for (int i = 0; i < taken.length; i++) {
      if (taken[i] != null) { // else it has ended meanwhile
        shown.put(taken[i].getThreadId(), taken[i]);
        moved.get(i).take(taken[i]);
      }
    }
    late = !evidence && ended - begun > LATE_NANOS + moved.size() * LATE_EACH_NANOS;
    return begun;
  }

  private void write(long intended, long now, Map<Long, ThreadInfo> before, Map<Long, ThreadInfo> shown) throws IOException {
    Map<Contended.Lock, Contended> locks = new LinkedHashMap<>();
    for (ThreadInfo t : shown.values()) {
      boolean returns = notified(t, stack(t.getThreadId(), shown).frames);
      if (living.get(t.getThreadId()).blocked) {
        blocked.seen(returns);
      }
      if (!returns && wants(t)) {
        Contended.Lock l = new Contended.Lock(t.getLockInfo());
        Contended c = locks.get(l);
        if (c == null) {
          locks.put(l, c = new Contended(t));
        }
        c.add(t, before.get(t.getThreadId()), late);
      }
    }
    for (Iterator<Contended> at = locks.values().iterator(); at.hasNext(); ) {
      Contended c = at.next();
      if (!c.settle()) {
        at.remove();
        continue;
      }
      ThreadInfo o = before.get(c.owner());
      if (late && o != null && shown.containsKey(c.owner()) && Living.One.unmoved(o, shown.get(c.owner()))) {
        c.acquiredLate();
      }
    }
    last = now;
    for (Map.Entry<Contended.Lock, Contended> e : locks.entrySet()) {
      announce(e.getKey(), e.getValue(), shown);
    }
    out.begin(TraceWriter.TICK).time(now + epoch).signed(intended - now).signed(0).number(living.alive()).number(living.idle()).end();
    for (Map.Entry<Contended.Lock, Contended> e : locks.entrySet()) {
      write(now, e.getKey(), e.getValue(), shown);
    }
  }

  private void announce(Contended.Lock l, Contended c, Map<Long, ThreadInfo> shown) throws IOException {
    names.announce(l, c.kind);
    for (int i = 0; i < c.waiters.size() && !evidence; i++) { // else the waits are recorded with theirs
      names.announce(stack(c.waiters.get(i).getThreadId(), shown));
    }
    names.announce(stack(c.owner(), shown));
  }

  private void write(long now, Contended.Lock l, Contended c, Map<Long, ThreadInfo> shown) throws IOException {
    out.begin(TraceWriter.CONTENTION).time(now + epoch).signed(0).number(names.lock(l));
    if (c.owner() > 0) {
      out.number(1).number(living.get(c.owner()) == null ? 0 : c.owner()).number(names.stack(stack(c.owner(), shown))).number(0);
    } else if (c.exclusive()) {
      out.number(0); // free, and not yet taken
    } else {
      out.number(1).number(0).number(0).number(1); // readers and permits have no name
    }
    out.number(c.waiters.size());
    for (ThreadInfo w : c.waiters) {
      Names.Stack s = stack(w.getThreadId(), shown);
      out.number(w.getThreadId()).number(names.stack(s)).number(Locks.shares(c.kind, s.frames) ? 1 : 0);
    }
    out.end();
  }

  /** A thread that is blocked on a lock, or parked at one. */
  private static boolean wants(ThreadInfo t) {
    LockInfo lock = t.getLockInfo();
    Thread.State state = t.getThreadState();
    return lock != null && (state == Thread.State.BLOCKED || Living.waits(state) && Locks.kind(lock.getClassName()) != Locks.NONE);
  }

  // A thread that was notified is blocked as well until it has its monitor
  // back, or is called runnable while nobody owns that. It did not come for the
  // lock.
  private static boolean notified(ThreadInfo t, StackTraceElement[] s) {
    Thread.State state = t.getThreadState();
    return (state == Thread.State.BLOCKED || state == Thread.State.RUNNABLE)
        && s.length > 0 && s[0].getClassName().equals("java.lang.Object") && s[0].getMethodName().startsWith("wait");
  }

  /** The stack of a thread in this sample; none where it was not stopped for. */
  private Names.Stack stack(long thread, Map<Long, ThreadInfo> shown) {
    Living.One t = living.get(thread);
    return t == null || !shown.containsKey(thread) ? Names.NO_STACK : t.stack;
  }
}
