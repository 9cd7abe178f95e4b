package contend.agent.probes;

import java.lang.ref.ReferenceQueue;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;

/**
 * What rewritten classes call around each acquisition and release of a lock. It is defined in the
 * boot loader under another name, so that code of every loader finds it.
 *
 * A lock has a {@link ProbeCell}. The owner stores its thread's number and its site there, two ints: a
 * stored reference would cost ten times as much. The clock is read, and an event logged, only
 * while a thread waits. Where that is so often that the log would cost too much, the lock is
 * sampled: threads keep what they hold and wait for in ints of their own {@link ProbeSlot}.
 *
 * A site is a number; its flags say that the lock is one of java.util.concurrent, and that it is shared.
 */
public final class Probe {
  public static final int LIBRARY = 1 << 31, SHARED = 1 << 30, SITE = SHARED - 1;
  public static final int REQUEST = 1, ACQUIRE = 2, RELEASE = 3, FAIL = 4; // FAIL: it ended its wait without the lock
  public static final int NOTIFY = 5; // the owner has ended a wait of another thread for a notification, which wants the lock again

  private static final int SLOTS = 1 << 14, TYPES = 1 << 10, BUCKETS = 1 << 14;
  private static final int MOST = 200_000; // locks that have cells
  private static final int FEWEST = 500; // events that are always logged
  private static final int FOREIGN = 50; // so many releases of what the thread does not hold: holds belong to no thread

  private static boolean active; // plain: a stale value costs some events at the begin and the end
  private static int eager; // locks of each class that get a cell before the class is known to be contended
  private static int busiest; // events of a lock in a second, above which it is sampled
  private static Set<String> wanted = Collections.emptySet();

  static final Object NOTHING = new Object(); // no program has it

  private static final ProbeSlot[] slots = new ProbeSlot[SLOTS];
  private static ProbeSlot logging; // a list of slots with events
  private static ProbeSlot[] sharing = {}, sampling = {}; // slots that have shared a lock, and that have used one that is sampled
  private static final ProbeType[] types = new ProbeType[TYPES];
  private static final ProbeEntry[] entries = new ProbeEntry[BUCKETS];
  private static final ReferenceQueue<Object> dead = new ReferenceQueue<>();
  private static ProbeCell[] cells = new ProbeCell[0]; // those with events
  private static int locks, ids, told;
  private static long refused, dropped;

  private Probe() {}

  // ---- what rewritten code calls

  /** The thread is about to acquire a lock, and may have to wait. */
  public static void request(Object lock, int site) {
    if (!active) {
      return;
    }
    ProbeSlot s = slot();
    ProbeCell c = cell(s, lock, site);
    if (c != null && (c.owner | c.waiters | c.sharers | c.special) != 0) {
      request(s, c, site);
    }
  }

  /** The thread has the lock. */
  public static void acquired(Object lock, int site) {
    if (!active) {
      return;
    }
    ProbeSlot s = slot();
    ProbeCell c = cell(s, lock, site);
    if (c == null) {
      return;
    }
    if ((c.owner | c.waiters | c.special | site & SHARED) == 0 && s.asked == null) {
      c.site = site & SITE; // as nearly always: these stores are all
      c.owner = s.number;
    } else {
      acquired(s, c, site);
    }
  }

  /** The thread is about to release the lock, or has just done so. */
  public static void released(Object lock, int site) {
    if (!active) {
      return;
    }
    ProbeSlot s = slot();
    ProbeCell c = cell(s, lock, site);
    if (c == null) {
      return;
    }
    if (c.owner == s.number && (c.again | c.waiters) == 0) {
      c.owner = 0;
    } else {
      released(s, c);
    }
  }

  /** The same after a try. */
  public static boolean tried(Object lock, boolean got, int site) {
    if (got) {
      acquired(lock, site);
    }
    return got;
  }

  /** The same with the stamp of a StampedLock, 0 for none. */
  public static long stamped(Object lock, long stamp, int site) {
    if (stamp != 0) {
      acquired(lock, site);
    }
    return stamp;
  }

  /** The owner of a lock is about to notify a thread that waits at an object. */
  public static void notifies(Object o, int site) {
    notifies(o, site, false);
  }

  public static void notifiesAll(Object o, int site) {
    notifies(o, site, true);
  }

  public static void waits(Object o, int site) throws InterruptedException {
    ProbeSlot s = leave(o, site);
    try {
      o.wait();
    } finally {
      comeBack(s);
    }
  }

  public static void waits(Object o, long ms, int site) throws InterruptedException {
    ProbeSlot s = leave(o, site);
    try {
      o.wait(ms);
    } finally {
      comeBack(s);
    }
  }

  public static void waits(Object o, long ms, int ns, int site) throws InterruptedException {
    ProbeSlot s = leave(o, site);
    try {
      o.wait(ms, ns);
    } finally {
      comeBack(s);
    }
  }

  public static void await(Condition c, int site) throws InterruptedException {
    ProbeSlot s = leave(c, site);
    try {
      c.await();
    } finally {
      comeBack(s);
    }
  }

  public static void awaitUninterruptibly(Condition c, int site) {
    ProbeSlot s = leave(c, site);
    try {
      c.awaitUninterruptibly();
    } finally {
      comeBack(s);
    }
  }

  public static long awaitNanos(Condition c, long ns, int site) throws InterruptedException {
    ProbeSlot s = leave(c, site);
    try {
      return c.awaitNanos(ns);
    } finally {
      comeBack(s);
    }
  }

  public static boolean await(Condition c, long n, TimeUnit unit, int site) throws InterruptedException {
    ProbeSlot s = leave(c, site);
    try {
      return c.await(n, unit);
    } finally {
      comeBack(s);
    }
  }

  public static boolean awaitUntil(Condition c, Date until, int site) throws InterruptedException {
    ProbeSlot s = leave(c, site);
    try {
      return c.awaitUntil(until);
    } finally {
      comeBack(s);
    }
  }

  public static void lockInterruptibly(Lock l, int site) throws InterruptedException {
    request(l, site);
    boolean got = false;
    try {
      l.lockInterruptibly();
      got = true;
    } finally {
      answered(l, got, site);
    }
  }

  public static boolean tryLock(Lock l, long n, TimeUnit unit, int site) throws InterruptedException {
    request(l, site);
    boolean got = false;
    try {
      return got = l.tryLock(n, unit);
    } finally {
      answered(l, got, site);
    }
  }

  public static long tryReadLock(StampedLock l, long n, TimeUnit unit, int site) throws InterruptedException {
    request(l, site);
    long stamp = 0;
    try {
      return stamp = l.tryReadLock(n, unit);
    } finally {
      answered(l, stamp != 0, site);
    }
  }

  public static long tryWriteLock(StampedLock l, long n, TimeUnit unit, int site) throws InterruptedException {
    request(l, site);
    long stamp = 0;
    try {
      return stamp = l.tryWriteLock(n, unit);
    } finally {
      answered(l, stamp != 0, site);
    }
  }

  public static void acquire(Semaphore l, int site) throws InterruptedException {
    acquire(l, 1, site);
  }

  public static void acquire(Semaphore l, int permits, int site) throws InterruptedException {
    requestPermits(l, permits, site);
    boolean got = false;
    try {
      l.acquire(permits);
      got = true;
    } finally {
      answered(l, got, site);
    }
  }

  public static void acquireUninterruptibly(Semaphore l, int site) {
    acquireUninterruptibly(l, 1, site);
  }

  public static void acquireUninterruptibly(Semaphore l, int permits, int site) {
    requestPermits(l, permits, site);
    l.acquireUninterruptibly(permits);
    acquired(l, site);
  }

  public static boolean tryAcquire(Semaphore l, int site) {
    return tried(l, l.tryAcquire(), site);
  }

  public static boolean tryAcquire(Semaphore l, int permits, int site) {
    return tried(l, l.tryAcquire(permits), site);
  }

  public static boolean tryAcquire(Semaphore l, long n, TimeUnit unit, int site) throws InterruptedException {
    return tryAcquire(l, 1, n, unit, site);
  }

  public static boolean tryAcquire(Semaphore l, int permits, long n, TimeUnit unit, int site)
      throws InterruptedException {
    requestPermits(l, permits, site);
    boolean got = false;
    try {
      return got = l.tryAcquire(permits, n, unit);
    } finally {
      answered(l, got, site);
    }
  }

  public static void release(Semaphore l, int site) {
    released(l, site);
    l.release();
  }

  public static void release(Semaphore l, int permits, int site) {
    released(l, site);
    l.release(permits);
  }

  // ---- how cells change

  private static void request(ProbeSlot s, ProbeCell half, int site) {
    ProbeCell c = half.whole;
    boolean shared = c != half || (site & SHARED) != 0;
    int owner = c.owner;
    if (c.sampled()) {
      s.want(c.id, site & SITE);
    } else if (owner != 0 ? owner != s.number : c.waiting() || c.sharers != 0 && !shared) {
      contended(s, c, site & SITE, shared);
    }
  }

  private static void acquired(ProbeSlot s, ProbeCell half, int site) {
    if (half.whole != half || (site & SHARED) != 0) {
      share(s, half.whole, site & SITE);
    } else {
      own(s, half, site & SITE);
    }
  }

  private static void released(ProbeSlot s, ProbeCell half) {
    ProbeCell c = half.whole;
    if (c.owner != s.number) {
      unshare(s, c);
    } else if (c.again > 0) {
      c.again--;
    } else {
      if (c.waiting() && !c.sampled()) {
        s.log(System.nanoTime(), RELEASE, c.id, 0, 0, 0);
      }
      c.owner = 0;
    }
  }

  /** A semaphore has no owner that makes others wait: it has permits left, or not. */
  private static void requestPermits(Semaphore l, int permits, int site) {
    if (active && (l.availablePermits() < permits || l.hasQueuedThreads())) {
      ProbeSlot s = slot();
      ProbeCell c = cell(s, l, site);
      if (c == null) {
        return;
      }
      if (c.whole.sampled()) {
        request(s, c, site);
      } else {
        contended(s, c.whole, site & SITE, true);
      }
    }
  }

  private static void answered(Object lock, boolean got, int site) {
    if (got) {
      acquired(lock, site);
    } else if (active) {
      ProbeSlot s = slot();
      s.waitsFor = 0;
      if (s.asked != null) {
        s.giveUp();
      }
    }
  }

  private static void contended(ProbeSlot s, ProbeCell c, int site, boolean shared) {
    if (s.left != null) {
      return; // within Object.wait or await: the JDK's own
    }
    if (s.asked != null) {
      s.giveUp(); // an exception ended that request
    }
    if (c.events++ == 0) {
      tell(c);
    }
    ProbeCell.WAITERS.incrementAndGet(c);
    s.asked = c;
    long now = System.nanoTime();
    int owner = c.owner, at = c.site, mode = shared ? SHARED : 0;
    boolean known = owner != 0;
    if (known) {
      s.log(now, REQUEST, c.id, site | mode, owner, at);
    } else if (c.sharers != 0) {
      for (ProbeSlot o : sharing) {
        int held = o == s ? -1 : o.shared.site(c.id);
        if (held >= 0) {
          s.log(now, REQUEST, c.id, site | mode, o.number, held | SHARED);
          known = true;
        }
      }
    }
    if (!known) {
      s.log(now, REQUEST, c.id, site | mode, 0, 0);
    }
  }

  private static void own(ProbeSlot s, ProbeCell c, int site) {
    if (c.owner == s.number) {
      c.again++;
      return;
    }
    if (c.sampled()) {
      s.hold(c.id, site);
    } else {
      c.site = site;
      c.again = 0;
      c.owner = s.number;
    }
    gotten(s, c, site);
  }

  private static void share(ProbeSlot s, ProbeCell c, int site) {
    if (c.sampled()) {
      s.hold(c.id, site);
    } else {
      s.share(c.id, site);
      ProbeCell.SHARERS.incrementAndGet(c);
    }
    gotten(s, c, site | SHARED);
  }

  private static void gotten(ProbeSlot s, ProbeCell c, int site) {
    if (s.asked == c) {
      s.log(System.nanoTime(), ACQUIRE, c.id, site, 1, 0);
      s.asked = null;
      ProbeCell.WAITERS.decrementAndGet(c);
    } else if (s.asked != null && s.left == null) {
      s.giveUp();
    } else if (c.waiting() && !c.sampled()) {
      c.events++;
      s.log(System.nanoTime(), ACQUIRE, c.id, site, 0, 0);
    }
  }

  private static void unshare(ProbeSlot s, ProbeCell c) {
    if (c.sampled() && s.held != null && s.held.remove(c.id)) {
      return;
    }
    if (s.shared == null || !s.shared.remove(c.id)) {
      if (c.permits && ++c.foreign == FOREIGN) {
        tell(c);
      }
      return;
    }
    if (c.waiting() && !c.sampled()) {
      s.log(System.nanoTime(), RELEASE, c.id, SHARED, 0, 0);
    }
    ProbeCell.SHARERS.decrementAndGet(c);
  }

  /** Object.wait, or await, gives the lock up. */
  private static ProbeSlot leave(Object o, int site) {
    if (!active) {
      return null;
    }
    ProbeSlot s = slot();
    ProbeCell c = cell(s, o, site);
    if (c == null) {
      return null;
    }
    if (c.owner == s.number) {
      s.leftSite = c.site;
      s.leftAgain = c.again;
      if (c.waiting() && !c.sampled()) {
        s.log(System.nanoTime(), RELEASE, c.id, 0, 0, 0);
      }
      c.join(s, o);
      c.again = 0;
      c.owner = 0;
    } else if (s.holds(c.id) >= 0) {
      s.leftSite = s.holds(c.id);
      for (s.leftAgain = -1; s.holds(c.id) >= 0; s.leftAgain++) {
        s.held.remove(c.id);
      }
      c.join(s, o);
    } else {
      return null;
    }
    s.left = c;
    return s;
  }

  private static void comeBack(ProbeSlot s) {
    if (s == null || s.left == null) {
      return;
    }
    ProbeCell c = s.left;
    s.left = null;
    c.part(s); // where nobody has notified it
    own(s, c, s.leftSite);
    if (c.owner == s.number) {
      c.again = s.leftAgain;
    } else {
      for (int i = 0; i < s.leftAgain; i++) {
        s.hold(c.id, s.leftSite);
      }
    }
  }

  /**
   * From its notification on a thread waits for the lock again. When one whose time is over wakes up, or that is
   * interrupted, nothing tells: that wait is not recorded.
   */
  private static void notifies(Object o, int site, boolean all) {
    if (!active) {
      return;
    }
    ProbeSlot s = slot();
    ProbeCell c = cell(s, o, site);
    if (c == null || c.first == null) {
      return;
    }
    if (c.owner != s.number && s.holds(c.id) < 0) {
      return; // it will be refused
    }
    for (ProbeSlot w = c.first, next; w != null; w = next) { // the JVM wakes them in this order, too
      next = w.after;
      if (w.leftAt == o) {
        c.part(w);
        wantsAgain(s, c, w);
        if (!all) {
          return;
        }
      }
    }
  }

  private static void wantsAgain(ProbeSlot by, ProbeCell c, ProbeSlot s) {
    if (c.sampled()) {
      s.want(c.id, s.leftSite);
      return;
    }
    if (c.events++ == 0) {
      tell(c);
    }
    ProbeCell.WAITERS.incrementAndGet(c);
    s.asked = c;
    by.log(System.nanoTime(), NOTIFY, c.id, c.site, s.number, s.leftSite);
  }

  // ---- from a lock to its cell

  private static ProbeCell cell(ProbeSlot s, Object o, int site) {
    ProbeCell c = o == s.a ? s.aCell : o == s.b ? s.bCell : o == s.c ? s.cCell : find(s, o);
    return c != null && c.library == site < 0 ? c : null;
  }

  private static ProbeSlot slot() {
    Thread me = Thread.currentThread();
    ProbeSlot s = slots[(int) me.getId() & SLOTS - 1];
    return s != null && s.id == me.getId() ? s : otherSlot(me);
  }

  private static ProbeSlot otherSlot(Thread me) {
    ProbeSlot s = slots[(int) me.getId() & SLOTS - 1];
    while (s != null && s.thread != me) {
      s = s.next;
    }
    return s == null ? newSlot(me) : s;
  }

  private static ProbeSlot newSlot(Thread me) {
    synchronized (slots) {
      int i = (int) me.getId() & SLOTS - 1;
      return slots[i] = new ProbeSlot(me, slots[i]);
    }
  }

  private static int bucket(String name, int of) {
    int h = name.hashCode();
    return (h ^ h >>> 16) & of - 1;
  }

  private static ProbeType type(Class<?> c) {
    for (ProbeType t = types[bucket(c.getName(), TYPES)]; t != null; t = t.next) {
      if (t.type == c) {
        return t;
      }
    }
    return newType(c);
  }

  private static ProbeType newType(Class<?> c) {
    synchronized (types) {
      int i = bucket(c.getName(), TYPES);
      ProbeType t = new ProbeType(c, types[i]);
      t.wanted = wanted.contains(t.name);
      t.off = !t.wanted && eager == 0 && t.family != ProbeType.CONDITION;
      if (active) {
        types[i] = t;
      }
      return t;
    }
  }

  private static ProbeCell find(ProbeSlot s, Object o) {
    if (o == null) {
      return null;
    }
    ProbeEntry recent = s.recent(o);
    if (recent != null) {
      s.promote(o, recent);
      return recent.cell;
    }
    ProbeType t = type(o.getClass());
    if (t.off) {
      return null;
    }
    ProbeEntry e = entry(o);
    if (e == null && !s.busy) {
      e = make(s, o, t);
    }
    if (e == null) {
      return null;
    }
    s.remember(o, e);
    return e.cell;
  }

  private static ProbeEntry entry(Object o) {
    for (ProbeEntry e = entries[System.identityHashCode(o) & BUCKETS - 1]; e != null; e = e.next) {
      if (e.get() == o) {
        return e;
      }
    }
    return null;
  }

  private static ProbeEntry make(ProbeSlot s, Object o, ProbeType t) {
    s.busy = true; // what is called here may take locks itself
    try {
      Object named = t.named(o);
      synchronized (entries) {
        ProbeEntry e = entry(o);
        if (e != null || named == null || !active) {
          return e;
        }
        ProbeEntry of = entry(named);
        if (of == null && !mayMake(t)) {
          return null;
        }
        if (of == null) {
          t.cells++;
          of = enter(named, new ProbeCell(ids++, named, t), t);
        }
        return named == o ? of : enter(o, t.shares() ? new ProbeCell(of.cell) : of.cell, t);
      }
    } finally {
      s.busy = false;
    }
  }

  private static boolean mayMake(ProbeType t) {
    if (t.family == ProbeType.CONDITION) {
      return false; // its lock was acquired before
    }
    if (!t.wanted && t.cells >= eager) {
      t.off = true; // until it is wanted
      return false;
    }
    refused += locks >= MOST ? 1 : 0;
    return locks < MOST;
  }

  private static ProbeEntry enter(Object o, ProbeCell c, ProbeType t) {
    ProbeEntry e = new ProbeEntry(o, dead, c, t, entries[System.identityHashCode(o) & BUCKETS - 1]);
    locks++;
    return entries[e.hash & BUCKETS - 1] = e;
  }

  private static void tell(ProbeCell c) {
    synchronized (entries) {
      ProbeCell[] more = new ProbeCell[cells.length + 1];
      System.arraycopy(cells, 0, more, 0, cells.length);
      more[cells.length] = c;
      cells = more;
    }
  }

  // ---- what the agent calls, by reflection: types of the JDK only

  /**
   * Begins a recording; false if there is one. names: classes of locks that are wanted. locks: how many locks
   * of each other class get a cell until it is. most: how many events a lock may log in a second.
   */
  public static boolean begin(Collection<String> names, int locks, int most) {
    synchronized (types) {
      if (active) {
        return false;
      }
      eager = locks;
      busiest = most;
      Set<String> families = new HashSet<>();
      for (String name : names) {
        families.add(family(name));
      }
      wanted = families;
      active = true;
      return true;
    }
  }

  /** Adds to the classes that are wanted; true if it was not one of them. */
  public static boolean want(String name) {
    synchronized (types) {
      Set<String> more = new HashSet<>(wanted);
      if (!more.add(family(name))) {
        return false;
      }
      wanted = more;
      for (ProbeType first : types) {
        for (ProbeType t = first; t != null; t = t.next) {
          t.wanted |= t.name.equals(family(name));
          t.off &= !t.wanted;
        }
      }
      return true;
    }
  }

  /** The class that the program sees of a lock as the JVM names it: ReentrantLock of ReentrantLock$NonfairSync. */
  public static String family(String name) {
    int inner = name.indexOf('$');
    return inner > 0 && (name.startsWith("java.util.concurrent.locks.") || name.startsWith("java.util.concurrent.Semaphore$"))
        ? name.substring(0, inner) : name;
  }

  /** Ends a recording: rewritten code does nothing from here on, and nothing of it stays in memory. */
  public static void end() {
    active = false;
    synchronized (slots) {
      java.util.Arrays.fill(slots, null);
      logging = null;
      sharing = sampling = new ProbeSlot[0];
    }
    synchronized (types) {
      java.util.Arrays.fill(types, null);
    }
    synchronized (entries) {
      java.util.Arrays.fill(entries, null);
      cells = new ProbeCell[0];
      locks = told = 0;
    }
  }

  /** Copies events, of four numbers each: time, what, whom, and the thread; returns how many numbers. */
  public static int drain(long[] into) {
    int n = 0;
    ProbeSlot before = null;
    for (ProbeSlot s = logging; s != null; s = s.nextLogging) {
      n = s.drain(into, n);
      if (s.drained() && s.thread.getState() == Thread.State.TERMINATED && before != null) {
        before.nextLogging = s.nextLogging; // the first stays: others may come before it
      } else {
        before = s;
      }
    }
    return n;
  }

  /** The locks that have logged for the first time, or turned out to have holds of no thread: id, class, hash, kind, and whether that is so. */
  public static Object[] contended() {
    synchronized (entries) {
      Object[] out = new Object[(cells.length - told) * 5];
      for (int i = 0; told < cells.length; told++) {
        ProbeCell c = cells[told];
        out[i++] = c.id;
        out[i++] = c.name;
        out[i++] = c.hash;
        out[i++] = c.kind;
        out[i++] = c.foreign >= FOREIGN;
      }
      return out;
    }
  }

  /** Forgets what has ended: locks, threads, and what the caches of threads hold. */
  public static void tidy() {
    synchronized (entries) {
      for (Object o; (o = dead.poll()) != null; ) {
        remove((ProbeEntry) o);
      }
    }
    synchronized (slots) {
      for (int i = 0; i < slots.length; i++) {
        ProbeSlot living = ProbeSlot.living(slots[i]);
        if (living != slots[i]) {
          slots[i] = living;
        }
      }
      sharing = living(sharing);
      sampling = living(sampling);
    }
  }

  private static ProbeSlot[] living(ProbeSlot[] of) {
    int n = 0;
    for (ProbeSlot s : of) {
      n += s.ended() ? 0 : 1;
    }
    if (n == of.length) {
      return of;
    }
    ProbeSlot[] out = new ProbeSlot[0];
    for (ProbeSlot s : of) {
      out = s.ended() ? out : with(out, s);
    }
    return out;
  }

  private static ProbeSlot[] with(ProbeSlot[] of, ProbeSlot s) {
    ProbeSlot[] out = new ProbeSlot[of.length + 1];
    System.arraycopy(of, 0, out, 0, of.length);
    out[of.length] = s;
    return out;
  }

  private static void remove(ProbeEntry dead) {
    int i = dead.hash & BUCKETS - 1;
    if (entries[i] == dead) {
      entries[i] = dead.next;
      locks--;
    }
    for (ProbeEntry e = entries[i]; e != null; e = e.next) {
      if (e.next == dead) {
        e.next = dead.next;
        locks--;
      }
    }
  }

  /** Has locks sampled from now on that have logged too much since the last call, so long ago; returns whether any is. */
  public static boolean pace(long nanos) {
    boolean any = false;
    long most = Math.max(FEWEST, (long) (busiest * (nanos / 1e9))); // on a busy machine this may come late
    for (ProbeCell c : cells) {
      int n = c.events;
      c.special |= n - c.seen > most ? ProbeCell.SAMPLED : 0;
      c.seen = n;
      any |= c.sampled();
    }
    return any;
  }

  /**
   * Looks at the locks that are sampled: for each that threads wait for its id, how many own it and how many
   * wait, and of each of these thread and site.
   */
  public static int sample(int[] into) {
    int n = 0;
    for (ProbeCell c : cells) {
      if (c.sampled() && n + 3 < into.length) {
        int next = sample(c, into, n);
        for (int tries = 0; next < 0 && tries < 3; tries++) {
          next = sample(c, into, n);
        }
        n = next < 0 ? n : next;
      }
    }
    return n;
  }

  /** -1: an owner changed meanwhile. */
  private static int sample(ProbeCell c, int[] into, int from) {
    int n = from + 3;
    for (int look = 0; look < 2; look++) { // owners, then waiters
      int begun = n;
      for (ProbeSlot s : sampling) {
        int site = look == 0 ? s.holds(c.id) : s.waitsFor == c.id + 1 ? s.waitSite : -1;
        if (site >= 0 && n + 2 <= into.length) {
          into[n++] = s.number;
          into[n++] = site;
        }
      }
      into[from + 1 + look] = (n - begun) / 2;
    }
    into[from] = c.id;
    if (into[from + 2] == 0) {
      return from;
    }
    for (int i = 0; i < into[from + 1]; i++) {
      ProbeSlot owner = slot(into[from + 3 + 2 * i]);
      if (owner == null || owner.holds(c.id) < 0) {
        return -1;
      }
    }
    return n;
  }

  private static ProbeSlot slot(int number) {
    ProbeSlot s = slots[number & SLOTS - 1];
    while (s != null && s.number != number) {
      s = s.next;
    }
    return s;
  }

  /** The thread of a number; null when it has ended. */
  public static Thread thread(int number) {
    ProbeSlot s = slot(number);
    return s == null ? null : s.thread;
  }

  /** Events that were lost because buffers were full, and locks that got no cell because there are too many. */
  public static long[] lost() {
    return new long[] {dropped, refused};
  }

  static void lose() {
    dropped++;
  }

  static void logs(ProbeSlot s) {
    synchronized (slots) {
      s.nextLogging = logging;
      logging = s;
    }
  }

  static void shares(ProbeSlot s) {
    synchronized (slots) {
      sharing = with(sharing, s);
    }
  }

  static void samples(ProbeSlot s) {
    synchronized (slots) {
      sampling = with(sampling, s);
    }
  }
}
