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
  private long owner;
  private int told; // how surely: 1 just before the stop, 2 that nobody owns it at the stop, 3 who does

  Contended(Lock lock, int kind) {
    this.lock = lock;
    this.kind = kind;
  }

  /** Takes in a waiter, as it is shown: at the stop, or just before where it was not stopped for. */
  void add(Living.One waiter, ThreadInfo t) {
    waiters.add(waiter);
    tells(waiter, t, !waiter.tellsOwner(t) ? 1 : waiter.lock(t) == null ? 2 : 3); // null: nobody owns what it waits for, or it does itself
  }

  private void tells(Living.One waiter, ThreadInfo t, int how) {
    if (told < how && (how == 2 || waiter.lock(t) != null)) {
      told = how;
      owner = waiter.owner(t);
    }
  }

  /**
   * Whether nobody who waits at the stop tells who owns the lock: those who were to tell
   * have gone on, so that it has passed from who owned it just before to another.
   */
  boolean unknown() {
    return told == 1;
  }

  /** Takes in that the owner has been given the lock and does not run yet: it waits still, and nobody owns it. */
  void handedOver(Living.One to) {
    if (!waiters.contains(to)) {
      waiters.add(to);
    }
    owner = -1;
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

    Lock(String name, int hash) {
      this.name = name;
      this.hash = hash;
    }

    Lock(LockInfo l) {
      this(l.getClassName(), l.getIdentityHashCode());
    }

    Lock(Object lock) {
      this(lock.getClass().getName(), System.identityHashCode(lock));
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
