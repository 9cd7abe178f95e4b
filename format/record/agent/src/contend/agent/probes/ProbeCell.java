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

  ProbeCell(int id, Object named, ProbeType t) {
    this.id = id;
    name = named.getClass().getName();
    hash = System.identityHashCode(named);
    kind = t.kind();
    permits = t.family == ProbeType.SEMAPHORE || t.family == ProbeType.STAMPED;
  }

  boolean waiting() {
    return waiters > 0;
  }
}
