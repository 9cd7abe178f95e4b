package contend.agent.probes;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** A lock, while it is recorded. */
final class ProbeCell {
  static final AtomicIntegerFieldUpdater<ProbeCell> WAITERS =
      AtomicIntegerFieldUpdater.newUpdater(ProbeCell.class, "waiters");
  static final AtomicIntegerFieldUpdater<ProbeCell> SHARERS =
      AtomicIntegerFieldUpdater.newUpdater(ProbeCell.class, "sharers");

  final int id, hash, kind;
  final String name;
  final boolean permits; // a hold may end in another thread
  int owner, site, depth; // written by the owner alone; owner is the number of its thread, 0 for none
  volatile int waiters, sharers;
  boolean sampled; // what it would log is too much
  int events, seen, foreign;
  ProbeSlot first, last; // those that wait for a notification, in the order in which they came; by the owner alone

  ProbeCell(int id, Object named, ProbeType t) {
    this.id = id;
    name = named.getClass().getName();
    hash = System.identityHashCode(named);
    kind = t.kind();
    permits = t.family == ProbeType.SEMAPHORE || t.family == ProbeType.STAMPED;
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
