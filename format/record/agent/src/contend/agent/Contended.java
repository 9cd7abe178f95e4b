package contend.agent;

import java.lang.management.LockInfo;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;

/** A lock at the instant of a sample. */
final class Contended {
  final Lock lock;
  final int kind;
  final List<Living.One> waiters = new ArrayList<>();
  private long owner; // as who waits first tells; at the stop, where one of them was stopped for
  private boolean heard, told; // of the owner; at the stop

  Contended(Lock lock, int kind) {
    this.lock = lock;
    this.kind = kind;
  }

  /** Takes in a waiter, as it is shown: at the stop, or just before where it was not stopped for. */
  void add(Living.One waiter, ThreadInfo t) {
    waiters.add(waiter);
    boolean tells = t.getLockInfo() != null && !told; // else nobody owns what it waits for, or it does itself
    if (tells && (!heard || t != waiter.was)) {
      owner = t.getLockOwnerId();
      heard = true;
      told = t != waiter.was;
    }
  }

  /** Takes in one who waits, if it is not there. */
  void waits(Living.One t) {
    if (!waiters.contains(t)) {
      waiters.add(t);
    }
  }

  /** Takes in that the owner has been given the lock and does not run yet: nobody owns it. */
  void handedOver() {
    owner = -1;
  }

  /** Leaves out who got the lock by the time of the stop; returns whether somebody waits still. */
  boolean settle() {
    for (int i = 0; i < waiters.size(); i++) {
      if (waiters.get(i).id == owner) {
        waiters.remove(i);
        break;
      }
    }
    return !waiters.isEmpty();
  }

  /** Who owns the lock; not positive when nobody does, or it does not say. */
  long owner() {
    return owner;
  }

  /** Whether the lock tells its owner, if it has one. */
  boolean exclusive() {
    return kind == Locks.MONITOR || kind == Locks.SYNCHRONIZER;
  }

  /** A lock's identity: class and identity hash, whose 31 bits alone may collide. */
  static final class Lock {
    final String name;
    final int hash;

    Lock(LockInfo l) {
      name = l.getClassName();
      hash = l.getIdentityHashCode();
    }

    /** Whether what a thread waits for may be this lock: null where the JVM does not say. */
    boolean mayBe(LockInfo of) {
      return of == null || equals(new Lock(of));
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
}
