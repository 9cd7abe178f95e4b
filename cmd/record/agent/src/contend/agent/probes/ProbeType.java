package contend.agent.probes;

import java.lang.reflect.Field;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** A class of locks. */
final class ProbeType {
  static final int MONITOR = 0, REENTRANT = 1, READ = 2, WRITE = 3, SEMAPHORE = 4, STAMPED = 5, READ_VIEW = 6,
      WRITE_VIEW = 7, CONDITION = 8;

  private static final Class<?>[] CLASSES = {
    null, ReentrantLock.class, ReentrantReadWriteLock.ReadLock.class, ReentrantReadWriteLock.WriteLock.class,
    Semaphore.class, StampedLock.class, inner("ReadLockView"), inner("WriteLockView"),
    AbstractQueuedSynchronizer.ConditionObject.class,
  };
  private static final int[] KINDS = {1, 2, 3, 3, 4, 3, 3, 3, 0}; // as the trace format numbers them
  // Where the object is that the JVM names as the lock.
  private static final Field[] NAMED = {
    null, field(REENTRANT, "sync"), field(READ, "sync"), field(WRITE, "sync"), field(SEMAPHORE, "sync"), null,
    field(READ_VIEW, "this$0"), field(WRITE_VIEW, "this$0"), field(CONDITION, "this$0"),
  };

  final Class<?> type;
  final int family;
  final String name; // by which it is wanted
  final ProbeType next;
  boolean wanted, off;
  int cells;

  ProbeType(Class<?> c, ProbeType next) {
    type = c;
    this.next = next;
    family = family(c);
    name = family == MONITOR ? c.getName() : Probe.family(CLASSES[family].getName());
  }

  private static int family(Class<?> c) {
    for (int i = 1; i < CLASSES.length; i++) {
      if (CLASSES[i] != null && CLASSES[i].isAssignableFrom(c)) {
        return i;
      }
    }
    return MONITOR;
  }

  private static Class<?> inner(String name) {
    for (Class<?> c : StampedLock.class.getDeclaredClasses()) {
      if (c.getSimpleName().equals(name)) {
        return c;
      }
    }
    return null;
  }

  private static Field field(int family, String name) {
    try {
      Field f = CLASSES[family].getDeclaredField(name);
      f.setAccessible(true);
      return f;
    } catch (Exception e) {
      return null; // such locks are not recorded
    }
  }

  int kind() {
    return KINDS[family];
  }

  boolean shares() {
    return family == READ || family == SEMAPHORE || family == READ_VIEW;
  }

  /** What the JVM names as the lock; null where that is not known. */
  Object named(Object o) {
    if (family == MONITOR || family == STAMPED) {
      return o;
    }
    try {
      return NAMED[family] == null ? null : NAMED[family].get(o);
    } catch (IllegalAccessException e) {
      return null;
    }
  }
}
