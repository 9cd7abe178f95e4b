package contend.agent;

import java.lang.management.MonitorInfo;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the JVM tells of one thread at one instant, which may be virtual: its stack, what it
 * waits for, and the monitors it owns. That is the JDK's own, from 25 on, reached by names:
 * see {@link Stub}. Each takes about 20 µs; a thread that runs is stopped for it, the others go on.
 */
final class Snapshot {
  static final int PARKED = 0, ENTERS = 1, WAITS = 2; // at what it waits for

  // States of virtual threads.
  static final int NEW = 0, STARTED = 1, BLOCKING = 12, BLOCKED = 13, UNBLOCKED = 14, TERMINATED = 99;
  private static final int PARKED_UNMOUNTED = 4, TIMED_PARKED = 7, WAIT = 16, TIMED_WAIT = 18, SUSPENDED = 1 << 8;
  private static final long TRANSITIONS = 1 << 3 | 1 << 6 | 1 << 10 | 1 << BLOCKING | 1 << 15 | 1 << 17;

  private static final Reach REACH = Reach.made();

  final StackTraceElement[] frames;
  final Object[] owned; // monitors, each at its depth; null where the compiler has none
  final int[] depths;
  final Object at; // that it waits for, null for nothing
  final int how;

  private Snapshot(Object of) throws IllegalAccessException {
    StackTraceElement[] stack = (StackTraceElement[]) REACH.stack.get(of);
    frames = stack == null ? new StackTraceElement[0] : stack;
    at = REACH.blocker.get(of);
    how = REACH.how.getInt(of);
    Object[] locks = (Object[]) REACH.locks.get(of);
    owned = new Object[locks == null ? 0 : locks.length];
    depths = new int[owned.length];
    boolean hidden = at == null && frames.length > 0 && frames[0].getClassName().equals("java.lang.Object"); // in Object.wait: of which monitor, is not told
    for (int i = 0; i < owned.length; i++) {
      Object o = hidden || REACH.eliminated.getInt(locks[i]) != 0 ? null : REACH.lock.get(locks[i]);
      owned[i] = o == at ? null : o; // it has given that back
      depths[i] = REACH.depth.getInt(locks[i]);
    }
  }

  /** Returns null for a thread that has ended. */
  static Snapshot of(Thread t) {
    try {
      Object s = REACH.create.invoke(null, t);
      return s == null ? null : new Snapshot(s);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Where it entered a monitor, as the JVM tells it of other threads. */
  MonitorInfo[] monitors(Object monitor) {
    List<MonitorInfo> out = new ArrayList<>();
    for (int i = 0; i < owned.length; i++) {
      if (owned[i] == monitor && depths[i] < frames.length) {
        out.add(new MonitorInfo(owned[i].getClass().getName(), System.identityHashCode(owned[i]), depths[i], frames[depths[i]]));
      }
    }
    return out.toArray(new MonitorInfo[0]);
  }

  /** Whether this JVM tells all that. */
  static boolean possible() {
    return REACH != null;
  }

  /** The virtual threads that live. */
  static List<Thread> threads() {
    List<Thread> out = new ArrayList<>();
    try {
      for (Iterator<?> at = REACH.free.iterator(); at.hasNext(); ) {
        out.add((Thread) at.next());
      }
      for (Object r : REACH.registry) {
        Object container = ((Reference<?>) r).get();
        if (container != null) {
          add(container, out);
        }
      }
    } catch (ReflectiveOperationException e) {
      // those that were found are all
    }
    return out;
  }

  private static void add(Object container, List<Thread> to) throws ReflectiveOperationException {
    Iterator<?> all = ((Stream<?>) REACH.threads.invoke(container)).iterator();
    while (all.hasNext()) {
      Thread t = (Thread) all.next();
      if (REACH.type.isInstance(t)) {
        to.add(t);
      }
    }
  }

  /** The state of a virtual thread. */
  static int state(Thread t) {
    try {
      return REACH.state.getInt(t) & ~SUSPENDED;
    } catch (IllegalAccessException e) {
      return TERMINATED;
    }
  }

  /** Whether it waits to enter a monitor, also after Object.wait, or has been given it and does not run yet. */
  static boolean enters(int state) {
    return state == BLOCKING || state == BLOCKED || state == UNBLOCKED;
  }

  static boolean virtual(Thread t) {
    return REACH.type.isInstance(t);
  }

  /** Whether a virtual thread is about to be mounted or unmounted: a snapshot of it would wait for 10 ms. */
  static boolean moves(int state) {
    return state < 64 && (TRANSITIONS >> state & 1) != 0;
  }

  /** Whether it stands still, and for no lock's monitor. */
  static boolean stands(int state) {
    return state == PARKED_UNMOUNTED || state == TIMED_PARKED || state == WAIT || state == TIMED_WAIT;
  }

  /** What is reached by its name. */
  private static final class Reach {
    final Class<?> type = Class.forName("java.lang.VirtualThread");
    final Field state = field(type, "state");
    final Method create, threads;
    final Field stack, locks, blocker, how, depth, eliminated, lock;
    final Set<?> free, registry;

    private Reach() throws ReflectiveOperationException {
      String vm = "jdk.internal.vm.Thread";
      Class<?> snapshot = Class.forName(vm + "Snapshot"), owned = Class.forName(vm + "Snapshot$ThreadLock"), containers = Class.forName(vm + "Containers");
      create = snapshot.getDeclaredMethod("create", Thread.class);
      create.setAccessible(true);
      stack = field(snapshot, "stackTrace");
      locks = field(snapshot, "locks");
      blocker = field(snapshot, "blockerObject");
      how = field(snapshot, "blockerTypeOrdinal");
      depth = field(owned, "depth");
      eliminated = field(owned, "typeOrdinal");
      lock = field(owned, "obj");
      threads = Class.forName(vm + "Container").getMethod("threads");
      threads.setAccessible(true);
      free = (Set<?>) field(Class.forName(vm + "Containers$RootContainer$TrackingRootContainer"), "VTHREADS").get(null);
      registry = (Set<?>) field(containers, "CONTAINER_REGISTRY").get(null);
    }

    private static Field field(Class<?> of, String name) throws ReflectiveOperationException {
      Field f = of.getDeclaredField(name);
      f.setAccessible(true);
      return f;
    }

    static Reach made() {
      try {
        return new Reach();
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        return null;
      }
    }
  }
}
