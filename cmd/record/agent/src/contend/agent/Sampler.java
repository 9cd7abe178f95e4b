package contend.agent;

import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

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
 * just got them. Who has got a monitor and does not run yet is known by its wait,
 * which goes on, and stands where threads wait: that is the hand-over, and nobody
 * owns the monitor. Where the waits are recorded, too, these tell.
 */
final class Sampler {
  static final String OWN_THREAD = "contend-sampler";
  private static final int DEPTH = 1024;
  private static final int ENTRIES = 1 << 12; // that are remembered

  // How old a list of who lives may be, where nobody came, between samples and in one.
  private static final long REFRESH = 1_000_000_000L, LATE = 2 * REFRESH;

  // For so many samples after one of a lock that does not name its owners, threads are shown that run, so
  // many at most: one may be an owner. Also where nobody waits, as else all would seem to run only then.
  private static final int UNNAMED = 40, RUNNING = 8;
  private static final int RUNNABLE = 12; // what the trace format calls them

  private static final LockInfo SEVERAL = new LockInfo("", 0);

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final TraceWriter out;
  private final boolean evidence;
  private final Living living;
  private final Names names;
  private final Blocked blocked;
  private final Monitors monitors;
  private Virtual virtual; // null as long as there are none, or this JVM does not tell
  private boolean hidden; // there are some, and it does not
  private final Random random = new Random();
  private final Map<Contended.Lock, Contended> locks = new LinkedHashMap<>(); // of this sample
  private final Map<StackTraceElement, LockInfo> entries = new HashMap<>(); // where threads were seen to wait for monitors: for which
  private long missed; // waiters who came between a look and its stop, by who left less who was seen to come
  private long passed; // from the look to the stop, in ms: those who were blocked throughout were so for as long
  private long last; // sample, in System.nanoTime()
  private long stood; // in all stops
  private int unnamed; // samples that are to show threads that run
  private Exact exact; // null where holds are not recorded
  private long epoch; // what System.nanoTime() lacks to the time of day

  /** evidence: the waits are recorded otherwise, the samples only show who owned the locks. */
  Sampler(TraceWriter out, boolean evidence) {
    this.out = out;
    this.evidence = evidence;
    this.living = new Living(threads, out, random);
    this.names = new Names(out);
    this.blocked = new Blocked(threads, out);
    this.monitors = new Monitors(threads, out, names);
  }

  void begin() throws IOException {
    epoch = offset();
    out.setting("recorder", "contend agent");
    if (!evidence && exact == null) { // what the JVM measures includes the waits that are recorded
      blocked.begin();
    }
  }

  /** Has holds recorded beside. */
  void beside(Exact exact) throws IOException, InterruptedException {
    this.exact = exact;
    begin();
    exact.begin(out, names, epoch);
    names.tells(exact);
  }

  /** The classes of locks that were seen contended. */
  Set<String> lockClasses() {
    return names.classes();
  }

  /** Writes what the JVM measured of the samples so far. */
  void measured() throws IOException {
    if (!evidence) {
      long now = System.nanoTime();
      living.refresh(now, REFRESH);
      account(living.list(false, now));
      blocked.write(last + epoch, living);
      living.turn();
    }
  }

  /** The processor's time that the sampling thread, which asks, has taken. */
  long cpu() {
    return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : 0;
  }

  /** For how long the program was stopped. */
  long stood() {
    return stood;
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

  // From the look to the stop one of the processors is the sampler's, and who owned a
  // lock there keeps it: all that can wait comes after the stop.
  void sample(long intended) throws IOException {
    long begun = System.nanoTime();
    monitors.begin();
    living.refresh(begun, LATE);
    if (!evidence && last == 0) {
      living.turn();
    }
    List<Living.One> want = living.wanting();
    if (evidence) {
      want = Choice.some(want, Choice.MOST, random);
    }
    List<Living.One> could = unnamed-- > 0 ? Choice.some(living.running, RUNNING, random) : new ArrayList<>();
    List<Living.One> asleep = evidence ? new ArrayList<>() : Choice.some(living.asleep, RUNNING, random); // perhaps with a lock
    for (int from = 0, to; from < want.size(); from = to) {
      to = want.size();
      look(want.subList(from, to));
      for (int i = from; living.parts > 1 && i < to; i++) {
        Living.One t = want.get(i);
        living.follow(t.was == null ? null : living.get(t.owner(t.was)), want);
      }
    }
    List<Living.One> shown = new ArrayList<>();
    long looked = System.nanoTime(), now = looked;
    if (!want.isEmpty() || !could.isEmpty() || !asleep.isEmpty()) {
      Choice of = new Choice(want, could, living, evidence, now, random);
      for (Living.One t : asleep) {
        of.stop(t);
      }
      now = stop(of, shown);
    }
    for (Living.One t : asleep) {
      living.mayWork(t);
    }
    blocked.begins(begun);
    for (Living.One t : want) {
      blocked.look(t, t.was, looked);
      t.stood();
    }
    if (!evidence) {
      account(living.list(last != 0, now));
    }
    if (living.virtual && virtual == null && !hidden) {
      hidden = !Snapshot.possible();
      virtual = hidden ? null : new Virtual(out, names, monitors, living, random);
      tellVirtual();
    }
    if (virtual != null) {
      virtual.look(now);
    }
    names.trim();
    if (entries.size() >= ENTRIES) {
      entries.clear();
    }
    write(intended, now, shown);
    for (Living.One t : could) {
      runs(now, t);
    }
    living.refresh(System.nanoTime(), REFRESH);
  }

  private void tellVirtual() throws IOException {
    out.note("blind", "virtual threads ran: a sample shows some of them at a time");
    if (hidden) {
      out.note("virtual-threads", "virtual threads ran, of which the agent sees nothing before JDK 25: nothing bounds how long they waited; --with jfr records what there is of it");
    }
  }

  /** Asks how threads stand, without a stop. */
  private void look(List<Living.One> at) {
    ThreadInfo[] all = threads.getThreadInfo(Living.ids(at), 0);
    for (int i = 0; i < all.length; i++) {
      Living.One t = at.get(i);
      t.was = all[i];
      if (t.signalled != null) {
        t.signalled.look();
      }
    }
  }

  /** Asks what threads were blocked. */
  private void account(List<Living.One> of) {
    if (of.isEmpty()) {
      return;
    }
    ThreadInfo[] all = threads.getThreadInfo(Living.ids(of), 0);
    long now = System.nanoTime();
    for (int i = 0; i < all.length; i++) {
      blocked.look(of.get(i), all[i], now);
    }
  }

  /**
   * Takes the stacks, and the states that belong to them; returns when that was: half way
   * between question and answer, mostly. A flight recorder knows it: the stop is the first
   * after the question.
   */
  private long stop(Choice of, List<Living.One> shown) {
    for (Living.One t : of.stand) {
      if (!t.stops) { // as an owner
        shown.add(t);
      }
    }
    long own = cpu(), now = System.nanoTime();
    ThreadInfo[] taken = monitors.stacks(Living.ids(of.stop), DEPTH);
    long took = System.nanoTime() - now;
    for (Living.One t : of.stop) {
      t.sameOwner = t.signalled != null && t.signalled.look();
    }
    own = cpu() - own;
    stood += Math.min(took - own, 3 * own / 2); // the JVM takes as long to find out as this thread to take it in: what is more, it waited for a processor
    now += evidence ? 0 : took / 2;
    passed = 0;
    for (int i = 0; i < taken.length; i++) {
      if (taken[i] != null) { // else it has ended meanwhile
        take(of.stop.get(i), taken[i], shown);
      }
    }
    return now;
  }

  private void take(Living.One t, ThreadInfo at, List<Living.One> shown) {
    passed = Math.max(passed, t.blockedUntil(at));
    t.take(at);
    shown.add(t);
  }

  private void write(long intended, long now, List<Living.One> shown) throws IOException {
    locks.clear();
    List<Living.One> free = new ArrayList<>(), left = new ArrayList<>();
    if (exact != null) {
      exact.take(); // which locks are recorded
    }
    for (Living.One t : shown) {
      if (exact != null) {
        exact.sample(t.id, now, t.stack.frames);
      }
      show(t, free, left);
    }
    Waits waits = new Waits(locks.values(), living);
    waits.clean(locks.values(), left);
    if (!evidence) {
      replace(waits, left);
    }
    settle();
    long before = last;
    last = now;
    for (Contended c : locks.values()) {
      announce(c);
    }
    out.begin(TraceWriter.TICK).time(now + epoch).signed(intended - now).signed(0).number(living.alive * living.parts + (virtual == null ? 0 : virtual.alive)).number(living.idle * living.parts + (virtual == null ? 0 : virtual.idle)).end();
    for (Contended c : locks.values()) {
      write(now, c, true);
      write(now, c, false);
    }
    if (virtual != null && before != 0) {
      virtual.write(now + epoch, now - before, evidence);
    }
    for (Living.One t : free) {
      out.begin(TraceWriter.CONTENTION).time(now + epoch).signed(0).number(0).number(0).number(1).number(t.id).number(0).number(0).end();
    }
  }

  private void show(Living.One one, List<Living.One> free, List<Living.One> left) {
    ThreadInfo t = one.at, was = one.was;
    boolean returns = one.returns(t), blocks = t.getThreadState() == Thread.State.BLOCKED;
    LockInfo l = one.wants(t) ? one.lock(t) : null;
    StackTraceElement top = one.stack.top();
    if (blocks && !returns && l != null && top != null) {
      enters(top, l);
    }
    boolean still = one.blocked && (!blocks || l == null) && one.waitsStill(t, passed, returns || entries.containsKey(top));
    if (l == null && evidence && still) {
      if (virtual == null) { // else one may own it, which the JVM does not tell
        free.add(one); // if it still waits, as its waits tell
      }
    } else if (l == null && still) {
      l = one.monitor != null ? one.monitor : entries.get(top);
      l = l == SEVERAL ? null : l;
    }
    if (l != null) {
      contended(l, one, t);
      missed -= one.drawn && was == null && Living.waits(t.getThreadState()) ? 1 : 0;
    } else if (one.drawn && was != null && Living.waits(was.getThreadState()) && one.wants(was)) {
      left.add(one);
    }
  }

  /** Takes in where a thread waits for a monitor. */
  private void enters(StackTraceElement at, LockInfo l) {
    LockInfo other = entries.get(at);
    if (other == null) {
      entries.put(at, l);
    } else if (other != SEVERAL && !new Contended.Lock(other).equals(new Contended.Lock(l))) {
      entries.put(at, SEVERAL);
    }
  }

  private Contended contended(LockInfo l, Living.One waiter, ThreadInfo t) {
    Contended.Lock key = new Contended.Lock(l);
    Contended c = locks.get(key);
    if (c == null) {
      locks.put(key, c = new Contended(key, Living.waits(t.getThreadState()) ? Locks.kind(key.name) : Locks.MONITOR));
    }
    c.add(waiter, t);
    return c;
  }

  // Who was parked at a lock just before the stop but not at it was replaced meanwhile
  // by somebody who came: the stop shows these only as far as it is for them. As many
  // of the others stand for who is missing, with their locks but no stacks. What
  // monitors lack, the JVM's own count adds.
  private void replace(Waits waits, List<Living.One> left) {
    missed += left.size();
    Collections.shuffle(left, random);
    for (Living.One t : left) {
      ThreadInfo was = t.was;
      LockInfo l = t.lock(was);
      Contended c = locks.get(new Contended.Lock(l));
      if (missed > 0 && waits.may(t, c == null ? t.owner(was) : c.owner())) {
        missed--;
        t.bare = true;
        waits.add(t, contended(l, t, was));
      }
    }
  }

  /** Finds out of each lock who of those who waited has it by now. */
  private void settle() {
    for (Iterator<Contended> at = locks.values().iterator(); at.hasNext(); ) {
      if (!settle(at.next())) {
        at.remove();
      }
    }
  }

  /** Returns whether somebody waits still. */
  private boolean settle(Contended c) {
    Living.One one = living.get(c.owner());
    ThreadInfo t = one == null ? null : one.at;
    boolean lives = t != null && c.kind == Locks.MONITOR, returns = lives && c.lock.mayBe(t.getLockInfo()) && one.returns(t);
    boolean still = lives && !evidence && (one.wants == null || one.wants == c) && one.mayEnter(c.lock, t) // a thread waits for one lock at a time
        && (t == one.was ? one.blocked : one.waitsStill(t, passed, entries.containsKey(one.stack.top()))); // was: it has just got it, and was not stopped for
    if (still || returns) {
      c.handedOver(one);
    } else {
      c.waiters.remove(one); // it has got the lock by the time of the stop
    }
    return !c.waiters.isEmpty();
  }

  private void announce(Contended c) throws IOException {
    names.announce(c.lock, c.kind);
    for (Living.One t : c.waiters) {
      if (evidence && !t.due) {
        t.bare = true; // the wait is recorded with its stack, when it ends
      }
      names.announce(t.waiting());
      if (t.due) {
        t.told = t.stack.id != 0;
        t.due = false;
      }
    }
    if (!c.unknown()) {
      Living.One owner = living.owner(c.owner());
      if (owner != null) {
        living.works(owner);
        living.sleptAs(owner);
      }
      names.announce(stack(c.owner()));
    }
  }

  /** Writes a lock with those who wait for it of the part whose turn it is, each for as many as it stands for; or with the others, who stand for none. */
  private void write(long now, Contended c, boolean drawn) throws IOException {
    int many = drawn ? living.parts : 1, waiters = 0;
    for (Living.One w : c.waiters) {
      waiters += w.drawn == drawn ? many : 0;
    }
    if (waiters == 0) {
      return;
    }
    out.begin(TraceWriter.CONTENTION).time(now + epoch).signed(drawn && !names.records(c.lock) ? 0 : -1).number(names.lock(c.lock));
    if (evidence && c.owner() <= 0 && !c.exclusive()) {
      unnamed = UNNAMED;
    }
    if (c.unknown() || c.owner() <= 0 && !c.exclusive()) { // readers and permits have no name
      out.number(1).number(0).number(0).number(c.exclusive() ? 0 : 1);
    } else if (c.owner() <= 0) {
      out.number(0); // free, and not yet taken
    } else {
      out.number(1).number(living.get(c.owner()) == null ? 0 : c.owner()).number(stack(c.owner()).id).number(0);
    }
    out.number(waiters);
    for (Living.One w : c.waiters) {
      if (w.drawn == drawn) {
        waits(c, w, many);
      }
    }
    out.end();
    if (!c.unknown() && c.owner() > 0) {
      monitors.owned(now + epoch, c.lock, c.kind, stack(c.owner()));
    }
  }

  private void waits(Contended c, Living.One w, int many) {
    Names.Stack s = w.waiting();
    if (c.kind == Locks.MONITOR && w.drawn) {
      blocked.shows(w.account, many);
    }
    int shares = Locks.shares(c.kind, s.frames) ? 1 : 0;
    for (int i = 0; i < many; i++) {
      out.number(w.id).number(s.id).number(shares);
    }
  }

  /** Writes where a thread runs, if it does at the stop. */
  private void runs(long now, Living.One t) throws IOException {
    if (t.at != null && t.at.getThreadState() == Thread.State.RUNNABLE) {
      names.announce(t.stack);
      out.begin(TraceWriter.ACTIVITY).time(now + epoch).signed(0).number(t.id).number(RUNNABLE).number(t.stack.id).number(0).end();
    }
  }

  /** The stack of a thread in this sample; none where it was not stopped for. */
  private Names.Stack stack(long thread) {
    Living.One t = living.get(thread);
    return t == null || t.at == null ? Names.NO_STACK : t.stack;
  }
}
