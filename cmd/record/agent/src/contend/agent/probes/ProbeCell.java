package contend.agent.probes;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** A lock, while it is recorded; or a half of one that threads share, as the program sees it. */
final class ProbeCell {
  static final AtomicIntegerFieldUpdater<ProbeCell> WAITERS =
      AtomicIntegerFieldUpdater.newUpdater(ProbeCell.class, "waiters");
  static final AtomicIntegerFieldUpdater<ProbeCell> SHARERS =
      AtomicIntegerFieldUpdater.newUpdater(ProbeCell.class, "sharers");

  static final int SAMPLED = 1, HALF = 2;

  final int id, hash, kind;
  final ProbeCell whole; // itself, where it is no half
  final boolean library; // it is one of java.util.concurrent, and not its object's monitor
  final String name;
  final boolean permits; // a hold may end in another thread
  int owner, site, again; // written by the owner alone; owner is the number of its thread, 0 for none; it acquired the lock so often again
  volatile int waiters, sharers;
  int special; // SAMPLED: what it would log is too much
  long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7; // cells of other locks are in other lines of the processor's caches
  int events, seen, foreign;
  ProbeSlot first, last; // those that wait for a notification, in the order in which they came; by the owner alone

  ProbeCell(int id, Object named, ProbeType t) {
    this.id = id;
    name = named.getClass().getName();
    hash = System.identityHashCode(named);
    kind = t.kind();
    permits = t.family == ProbeType.SEMAPHORE || t.family == ProbeType.STAMPED;
    library = t.family != ProbeType.MONITOR;
    whole = this;
  }

  /** The half of a lock that threads share. */
  ProbeCell(ProbeCell of) {
    id = of.id;
    name = of.name;
    hash = of.hash;
    kind = of.kind;
    permits = of.permits;
    library = of.library;
    whole = of;
    special = HALF;
  }

  boolean sampled() {
    return (special & SAMPLED) != 0;
  }

  /** Takes in that a thread waits for a notification at an object. */
  void join(ProbeSlot s, Object o) {
    s.leftAt = o;
    s.before = last;
    if (last == null) {
      first = s;
    } else {
      last.after = s;
    }
    last = s;
  }

  /** The reverse; nothing, where it has gone. */
  void part(ProbeSlot s) {
    if (s.leftAt == null) {
      return;
    }
    s.leftAt = null;
    if (s.before == null) {
      first = s.after;
    } else {
      s.before.after = s.after;
    }
    if (s.after == null) {
      last = s.before;
    } else {
      s.after.before = s.before;
    }
    s.before = s.after = null;
  }

  boolean waiting() {
    return waiters > 0;
  }
}
