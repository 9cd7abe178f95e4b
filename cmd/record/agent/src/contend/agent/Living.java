package contend.agent;

import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The program's threads, and what each shows of itself without asking the JVM:
 * that is a hundred times as cheap, and it shows those as blocked, too, that
 * were woken while nobody owns their lock, which the JVM calls runnable.
 */
final class Living {
  private static final long LATELY_NANOS = 2_000_000_000L;
  private static final long YOUNG_NANOS = 10_000_000_000L;
  private static final long HANGS_NANOS = 1_000_000_000L;
  private static final int INSIDE = 1 << 10; // stacks that are remembered
  static final int PART = 128; // threads that are looked at in a sample, or somewhat fewer

  private final ThreadMXBean threads;
  private final TraceWriter out;
  private final Random random;
  private final Map<Long, One> all = new LinkedHashMap<>();
  private long started = -1; // threads of this JVM, when they were last listed
  private long listed;
  int parts = 1; // of the program's threads: those of one are looked at, and each stands for so many
  private int part; // whose turn it is
  private int members; // of the program
  boolean virtual; // there are virtual threads
  int alive, idle; // of those, in the sample, and who of them waits for no lock
  final List<One> running = new ArrayList<>(); // and who could run
  final List<One> asleep = new ArrayList<>(); // and who sleeps, of those that slept while they owned a lock
  private final Set<Names.Stack> inside = new LinkedHashSet<>(); // stacks with which owners slept

  Living(ThreadMXBean threads, TraceWriter out, Random random) {
    this.threads = threads;
    this.out = out;
    this.random = random;
  }

  /** Takes in who lives, where somebody may have come, or what is known is so old; announces who is new. */
  void refresh(long now, long old) throws IOException {
    long before = started, total = threads.getTotalStartedThreadCount();
    if (total == before && now - listed < old) {
      return;
    }
    started = total;
    listed = now;
    ThreadGroup top = top();
    Thread[] list = list(top);
    for (int i = 0; i < list.length && list[i] != null; i++) {
      One t = all.get(list[i].getId());
      if (t == null) {
        t = add(list[i], top, before < 0 ? Long.MIN_VALUE : now);
      }
      t.listed = now;
    }
    for (Iterator<One> at = all.values().iterator(); at.hasNext(); ) {
      One t = at.next();
      t.forget(now - LATELY_NANOS);
      if (t.listed != now) {
        at.remove();
        members -= t.program ? 1 : 0;
      }
    }
  }

  private static ThreadGroup top() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    return top;
  }

  /** The threads of a group, and null behind them. */
  private static Thread[] list(ThreadGroup group) {
    for (int room = group.activeCount() + 64; ; room *= 2) {
      Thread[] out = new Thread[room];
      if (group.enumerate(out, true) < room) { // else it may have left some out
        return out;
      }
    }
  }

  /** The program's threads that live now. */
  static Thread[] ofProgram() {
    ThreadGroup top = top();
    Thread[] list = list(top);
    int n = 0;
    for (int i = 0; i < list.length && list[i] != null; i++) {
      if (isProgram(list[i], top)) {
        list[n++] = list[i];
      }
    }
    return Arrays.copyOf(list, n);
  }

  // What the JVM runs for itself is in the outermost group and beside it.
  private static boolean isProgram(Thread t, ThreadGroup top) {
    ThreadGroup g = t.getThreadGroup(); // null when it has just ended
    return g != null && g != top && !g.getName().equals("InnocuousThreadGroup") && !t.getName().startsWith("contend-") && !t.getName().startsWith("JFR ")
        && !t.getClass().getName().endsWith(".CarrierThread") // it runs virtual ones
        && t.getId() > 0; // a class may lie about it
  }

  private One add(Thread t, ThreadGroup top, long now) throws IOException {
    boolean program = isProgram(t, top);
    One added = new One(t, program, now, random.nextInt(Integer.MAX_VALUE));
    all.put(added.id, added);
    virtual |= t.getName().startsWith("VirtualThread-u"); // the JVM starts it with the first
    if (program) {
      members++;
      out.begin(TraceWriter.THREAD).number(added.id).text(t.getName()).text("").end();
    }
    return added;
  }

  /** One of the program's threads; null for others. */
  One get(long id) {
    One t = all.get(id);
    return t != null && t.program ? t : null;
  }

  /** The same for an owner, who may have started just now. */
  One owner(long id) throws IOException {
    if (id > 0 && !all.containsKey(id)) {
      refresh(System.nanoTime(), Long.MAX_VALUE);
    }
    return get(id);
  }

  /**
   * Gives the next part of the threads its turn. Each is as large, and who belongs to which is
   * drawn anew for each round: at any instant each thread is looked at with the same chance, so
   * that what is seen of a part, times the number of parts, is what all do on average. A turn
   * lasts for more than one sample, since what a thread waits for in one and in the next is one wait.
   */
  void turn() throws IOException {
    int needed = (members + PART - 1) / PART;
    if (++part < parts && needed == parts) {
      return;
    }
    part = 0;
    if (needed != parts && needed > 0) {
      parts = needed;
      out.setting("threads-drawn", "1/" + parts);
    }
    if (parts > 1) {
      List<One> order = new ArrayList<>(all.values());
      Collections.shuffle(order, random);
      int n = 0;
      for (One t : order) {
        t.draw = t.program ? n++ : 0;
      }
    }
  }

  /** Those who wait for a lock, as it seems, of the part whose turn it is, and how many live and are idle. */
  List<One> wanting() {
    List<One> out = new ArrayList<>();
    running.clear();
    asleep.clear();
    alive = 0;
    idle = 0;
    for (One t : all.values()) {
      t.begin();
      t.drawn = t.program && t.draw % parts == part;
      if (t.drawn) {
        look(t, out);
      }
    }
    return out;
  }

  /** Adds an owner of another part if it waits itself, so that it is known for whom; it stands for none. */
  void follow(One owner, List<One> wanting) {
    if (owner != null && !owner.drawn && !owner.seeks) {
      owner.look();
      if (owner.seeks) {
        wanting.add(owner);
      }
    }
  }

  // What is done for each thread is a method of its own, here and elsewhere: those are
  // compiled within a second, loops that run once a sample within ten.
  private void look(One t, List<One> wanting) {
    Thread.State state = t.look();
    if (state == Thread.State.TERMINATED) {
      return;
    }
    if (state == Thread.State.RUNNABLE) {
      running.add(t);
    }
    if (t.seeks) {
      wanting.add(t);
    } else if (waits(state)) {
      t.sleeps = !t.parked && state == Thread.State.TIMED_WAITING;
      if (t.sleeps && t.slept) {
        asleep.add(t);
      }
      idle++;
    }
    alive++;
  }

  static boolean waits(Thread.State state) {
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Takes in that a thread owns a lock somebody waits for: one that sleeps was counted as idle. */
  void works(One owner) {
    if (owner.sleeps) {
      owner.sleeps = false;
      owner.slept = true;
      idle--;
    }
  }

  /** Takes in the stack of one that does, when it is known. */
  void sleptAs(One owner) {
    if (owner.at != null && waits(owner.at.getThreadState()) && inside.size() < INSIDE) {
      inside.add(owner.stack);
    }
  }

  /** The same of a thread that nobody waits for, with a stack with which an owner slept. */
  void mayWork(One t) {
    if (t.at != null && waits(t.at.getThreadState()) && inside.contains(t.stack)) {
      works(t);
    }
  }

  /** Chooses threads that may get a lock at any time, of those that wanted or owned one of late, up to so many in all. */
  void fill(Choice to, int most, long now) {
    for (Iterator<One> at = all.values().iterator(); to.stop.size() < most && at.hasNext(); ) {
      One t = at.next();
      if (t.drawn && t.mattered && now - t.lately <= LATELY_NANOS && t.at == null) {
        to.stop(t);
      }
    }
  }

  /** The program's threads: the young, of whom who lives briefly is not seen often, but for those just looked at; or the others. */
  List<One> list(boolean young, long now) {
    List<One> out = new ArrayList<>();
    for (One t : all.values()) {
      if (t.program && t.young(now) == young && !(young && t.was != null)) {
        out.add(t);
      }
    }
    return out;
  }

  /** The program's threads. */
  List<Thread> program() {
    List<Thread> out = new ArrayList<>();
    for (One t : all.values()) {
      if (t.program) {
        out.add(t.thread);
      }
    }
    return out;
  }

  static long[] ids(Collection<One> of) {
    long[] out = new long[of.size()];
    int n = 0;
    for (One t : of) {
      out[n++] = t.id;
    }
    return out;
  }

  /** One thread. */
  static final class One {
    final Thread thread;
    final long id;
    boolean blocked; // as it was last seen to want something
    Names.Stack stack = Names.NO_STACK; // when it was last taken, and what the thread showed then
    private ThreadInfo taken;
    ThreadInfo was, at; // in this sample: when it was looked at, null if it was not; and where it is shown with its stack
    final boolean program;
    final long since; // when it was first seen; Long.MIN_VALUE when that was at the beginning
    int draw; // modulo the number of parts: the one it belongs to
    boolean drawn, seeks, parked; // in this sample: it belongs to the part whose turn it is; and as it was last seen, it wants something, and is parked at something
    long listed;
    boolean mattered;
    boolean slept; // while it owned a lock
    long lately; // when it last wanted or owned a lock
    LockInfo monitor; // that it last waited to enter; null if that was not told
    private long wait = -1; // the number of that wait
    private boolean lasts; // it was seen in this wait before
    private ThreadInfo unmoved; // as it was when it was first seen to stand as it does
    private long stands; // since then
    boolean due, told; // its stack, and was written
    boolean sleeps, stops, owns, bare; // in this sample: it sleeps and counts as idle; is stopped for; somebody waits for what it owns; it is shown waiting without a stack
    Signalled signalled; // in this sample: what it is parked for, where that is not the condition it is parked at
    boolean sameOwner; // the same thread owns that before and after the stop
    Contended wants; // in this sample: what it waits for
    Blocked.Account account; // null before it was looked at

    One(Thread thread, boolean program, long since, int draw) {
      this.thread = thread;
      this.id = thread.getId();
      this.program = program;
      this.since = since;
      this.draw = draw;
    }

    /** Forgets the sample before. */
    void begin() {
      was = at = null;
      wants = null;
      signalled = null;
      sleeps = stops = owns = bare = seeks = false;
    }

    /** Looks how it stands. */
    Thread.State look() {
      Thread.State state = thread.getState();
      Object at = waits(state) ? LockSupport.getBlocker(thread) : null;
      blocked = state == Thread.State.BLOCKED;
      parked = at != null;
      signalled = at == null ? null : Signalled.of(thread, at);
      seeks = blocked || signalled != null || at != null && Locks.kind(at.getClass().getName()) != Locks.NONE;
      return state;
    }

    /** The stack with which it is shown waiting. */
    Names.Stack waiting() {
      return bare ? Names.NO_STACK : stack;
    }

    boolean young(long now) {
      return since != Long.MIN_VALUE && now - since < YOUNG_NANOS;
    }

    void matters(long now) {
      mattered = true;
      lately = now;
    }

    void forget(long before) {
      if (mattered && lately - before < 0) {
        mattered = false;
        stack = Names.NO_STACK;
        taken = null;
      }
    }

    void take(ThreadInfo t) {
      StackTraceElement[] frames = t.getStackTrace();
      if (!Arrays.equals(frames, stack.frames)) { // else what was found out about it holds
        stack = new Names.Stack(frames);
      }
      stack.saw(t.getLockedMonitors());
      taken = at = t;
    }

    /** What it waits for, as it is shown. */
    LockInfo lock(ThreadInfo t) {
      return signalled != null && signalled.holdsFor(t) ? signalled.info : t.getLockInfo();
    }

    /** Who owns that, by id; not positive when nobody does. */
    long owner(ThreadInfo t) {
      return signalled != null && signalled.holdsFor(t) ? signalled.owner() : t.getLockOwnerId();
    }

    /** Whether the owner of that lock is known to be so at the stop: of others the JVM tells it there. */
    boolean tellsOwner(ThreadInfo t) {
      return t != was && (signalled == null || !signalled.holdsFor(t) || sameOwner);
    }

    /** Whether it waits for a lock: to enter a monitor, also after a wait, or parked. */
    boolean wants(ThreadInfo t) {
      LockInfo l = lock(t);
      Thread.State state = t.getThreadState();
      return l != null && (state == Thread.State.BLOCKED || waits(state) && Locks.kind(l.getClassName()) != Locks.NONE);
    }

    /** Whether it was notified and has not left Object.wait: it is blocked, or called runnable while nobody owns the monitor. */
    boolean returns(ThreadInfo t) {
      return (t.getThreadState() == Thread.State.BLOCKED || t.getThreadState() == Thread.State.RUNNABLE) && stack.in("java.lang.Object", "wait");
    }

    /** Whether it stands still where its stack was last taken. */
    boolean stands() {
      return taken != null && taken.getThreadState() != Thread.State.RUNNABLE
          && taken.getThreadState() == was.getThreadState() && unmoved(taken, was);
    }

    /**
     * Whether it has waited for so long that no other recorder may see the end of it,
     * so that its stack is due: once for each wait.
     */
    boolean hangs(long now) {
      if (unmoved == null || !unmoved(unmoved, was)) {
        unmoved = was;
        stands = now;
        told = false;
      }
      due = !told && now - stands >= HANGS_NANOS;
      return due;
    }

    /** Takes in how it stands where it waits to enter a monitor. */
    void stood() {
      ThreadInfo t = was;
      if (t == null || !blocked) {
        return;
      }
      lasts = wait == t.getBlockedCount();
      if (!lasts || t.getThreadState() == Thread.State.BLOCKED) {
        monitor = t.getThreadState() == Thread.State.BLOCKED ? t.getLockInfo() : null;
      }
      wait = t.getBlockedCount();
    }

    /**
     * Whether it still waits at the stop for the monitor it wanted just before, though
     * the JVM calls it runnable: nobody owns the monitor, or it does itself but does not
     * run yet. enters: it stands where threads wait, so that it has not gone on. Where it
     * was not stopped for, the time in between tells, passed, in ms, by the JVM's count,
     * which goes on while a thread waits; where that is too short, who has waited for
     * longer is taken to wait still.
     */
    boolean waitsStill(ThreadInfo t, long passed, boolean enters) {
      return blocked && (t != was ? enters : passed > 1 || lasts) && unended(t, passed);
    }

    /** Whether that may be a wait for this lock. */
    boolean mayEnter(Contended.Lock l, ThreadInfo t) {
      return l.mayBe(t.getLockInfo() != null ? t.getLockInfo() : monitor);
    }

    /** Whether a wait for a monitor is not over, as far as the count tells. */
    private boolean unended(ThreadInfo t, long passed) {
      return was != null && unmoved(was, t) && t.getBlockedTime() - was.getBlockedTime() >= passed - 1
          && (t.getThreadState() == Thread.State.BLOCKED || t.getThreadState() == Thread.State.RUNNABLE);
    }

    /** How long it was blocked from the look to the stop, in ms, where it is in the same wait, or has just been; else 0. */
    long blockedUntil(ThreadInfo t) {
      return was != null && unmoved(was, t) ? t.getBlockedTime() - was.getBlockedTime() : 0;
    }

    private static boolean unmoved(ThreadInfo before, ThreadInfo t) {
      return before.getBlockedCount() == t.getBlockedCount() && before.getWaitedCount() == t.getWaitedCount();
    }
  }
}
