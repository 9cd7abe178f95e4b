package contend.agent;

import java.lang.management.LockInfo;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * The lock that a signalled thread waits for. It stays parked at the condition until the
 * lock is released to it, but it stands in the queue of the lock: that is acquiring, and
 * the JVM does not tell it from awaiting.
 */
final class Signalled {
  private static final Field LOCK = lockOf();
  private static final Method OWNER = ownerOf();

  private final AbstractQueuedSynchronizer lock;
  private Thread owner; // at the last look
  final LockInfo info;

  private Signalled(AbstractQueuedSynchronizer lock) {
    this.lock = lock;
    this.info = new LockInfo(lock.getClass().getName(), System.identityHashCode(lock));
  }

  /** What a thread that is parked there was signalled for; null where it was not, or the lock is of no known kind. */
  static Signalled of(Thread t, Object blocker) {
    if (LOCK == null || !(blocker instanceof AbstractQueuedSynchronizer.ConditionObject)) {
      return null;
    }
    try {
      AbstractQueuedSynchronizer lock = (AbstractQueuedSynchronizer) LOCK.get(blocker);
      return lock.isQueued(t) && Locks.kind(lock.getClass().getName()) != Locks.NONE ? new Signalled(lock) : null;
    } catch (IllegalAccessException e) {
      return null;
    }
  }

  /** The lock that a thread waits for which is parked there; null where it waits for none. */
  static Object lock(Thread t, Object blocker) {
    if (blocker == null || Locks.kind(blocker.getClass().getName()) != Locks.NONE) {
      return blocker;
    }
    Signalled s = of(t, blocker);
    if (s == null) {
      return null;
    }
    return s.lock;
  }

  /** The owner of a lock of java.util.concurrent; null where it has none or names none. */
  static Thread owner(Object lock) {
    if (OWNER == null || !(lock instanceof AbstractOwnableSynchronizer)) {
      return null;
    }
    try {
      return (Thread) OWNER.invoke(lock);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Whether a thread still stands as it did: parked at the condition. */
  boolean holdsFor(ThreadInfo t) {
    return Living.waits(t.getThreadState()) && t.getLockInfo() != null && t.getLockInfo().getClassName().endsWith("$ConditionObject");
  }

  /** Looks who owns the lock; returns whether that is the same thread as at the look before. */
  boolean look() {
    Thread before = owner;
    owner = owner(lock);
    return before == owner;
  }

  /** The owner of the lock at the last look, by id; not positive when there was none. */
  long owner() {
    return owner == null ? -1 : owner.getId();
  }

  // The loader of this class may look into them, see Stub; but for that of an earlier version.
  private static Field lockOf() {
    try {
      Field f = AbstractQueuedSynchronizer.ConditionObject.class.getDeclaredField("this$0");
      f.setAccessible(true);
      return ownerOf() == null ? null : f;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  private static Method ownerOf() {
    try {
      Method m = AbstractOwnableSynchronizer.class.getDeclaredMethod("getExclusiveOwnerThread");
      m.setAccessible(true);
      return m;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
