package contend.agent;

import java.lang.management.MonitorInfo;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What the JVM tells of one thread at one instant, which may be virtual: its stack, what it
 * waits for, and the monitors it owns. That is the JDK's own, from 25 on, reached by names:
 * see {@link Stub}. Each takes about 20 µs. The JVM reads the stack of a virtual thread that is
 * not mounted while the thread may be mounted, and crashes then (JDK-8364343), so that such a thread is kept
 * from that meanwhile, just as Thread.getStackTrace does it. Of one that is mounted the stack
 * alone is told.
 */
final class Snapshot {
  static final int PARKED = 0, ENTERS = 1, WAITS = 2; // at what it waits for

  // States of virtual threads.
  static final int NEW = 0, STARTED = 1, BLOCKING = 12, BLOCKED = 13, UNBLOCKED = 14, TERMINATED = 99;
  private static final int RUNNING = 2, PARKED_UNMOUNTED = 4, PINNED = 5, TIMED_PARKED = 7, TIMED_PINNED = 8, UNPARKED = 9, YIELDED = 11, WAIT = 16, TIMED_WAIT = 18;
  private static final int SUSPENDED = 1 << 8; // beside another: it is not mounted
  private static final long TRANSITIONS = 1 << 3 | 1 << 6 | 1 << 10 | 1 << BLOCKING | 1 << 15 | 1 << 17;

  private static final Reach REACH = Reach.made();

  final StackTraceElement[] frames;
  final Object[] owned; // monitors, each at its depth; null where the compiler has none
  final int[] depths;
  final Object at; // that it waits for, null for nothing
  final int how;
  final boolean mounted; // a virtual thread that runs, or is parked at its carrier

  private Snapshot(Thread of) {
    frames = of.getStackTrace();
    owned = new Object[0];
    depths = new int[0];
    at = LockSupport.getBlocker(of);
    how = PARKED;
    mounted = true;
  }

  private Snapshot(Object of) throws IllegalAccessException {
    mounted = false;
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

  /** Returns null for a thread that has ended, or is about to be mounted or unmounted. */
  static Snapshot of(Thread t) {
    try {
      if (!virtual(t)) {
        return made(t);
      }
      int state = REACH.state.getInt(t);
      if (state == RUNNING || state == PINNED || state == TIMED_PINNED) {
        return new Snapshot(t);
      }
      boolean runs = state == UNPARKED || state == UNBLOCKED || state == YIELDED;
      return runs || stands(state) || state == BLOCKED ? kept(t, state, runs) : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static Snapshot made(Thread t) throws ReflectiveOperationException {
    Object s = REACH.create.invoke(null, t);
    return s == null ? null : new Snapshot(s);
  }

  // As VirtualThread.tryGetStackTrace does it: what ends its waiting meanwhile is made up for.
  private static Snapshot kept(Thread t, int state, boolean runs) throws ReflectiveOperationException {
    if (!(Boolean) REACH.swap.invoke(t, state, state | SUSPENDED)) {
      return null;
    }
    try {
      return made(t);
    } finally {
      REACH.set.invoke(t, state);
      boolean parked = state == PARKED_UNMOUNTED || state == TIMED_PARKED;
      boolean wakes = parked ? REACH.parkPermit.getBoolean(t) : state == BLOCKED ? REACH.blockPermit.getBoolean(t) : REACH.notified.getBoolean(t) || t.isInterrupted();
      if (runs || wakes && (Boolean) REACH.swap.invoke(t, state, parked ? UNPARKED : UNBLOCKED)) {
        REACH.resume.invoke(t);
      }
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

  /** Whether a virtual thread is about to be mounted or unmounted. */
  static boolean moves(int state) {
    return state < 64 && (TRANSITIONS >> state & 1) != 0;
  }

  /** Whether it stands still, and for no lock's monitor. */
  static boolean stands(int state) {
    return state == PARKED_UNMOUNTED || state == TIMED_PARKED || state == WAIT || state == TIMED_WAIT;
  }

  /** What is reached by its name. */
  private static final class Reach {
    final Class<?> type = Class.forName("java.lang.VirtualThread", false, null);
    final Field state = field(type, "state"), parkPermit = field(type, "parkPermit"), blockPermit = field(type, "blockPermit"), notified = field(type, "notified");
    final Method swap = method(type, "compareAndSetState", int.class, int.class), set = method(type, "setState", int.class), resume = method(type, "submitRunContinuation");
    final Method create, threads;
    final Field stack, locks, blocker, how, depth, eliminated, lock;
    final Set<?> free, registry;

    private Reach() throws ReflectiveOperationException {
      String vm = "jdk.internal.vm.Thread";
      Class<?> snapshot = Class.forName(vm + "Snapshot"), owned = Class.forName(vm + "Snapshot$ThreadLock"), containers = Class.forName(vm + "Containers");
      create = method(snapshot, "create", Thread.class);
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

    private static Method method(Class<?> of, String name, Class<?>... takes) throws ReflectiveOperationException {
      Method m = of.getDeclaredMethod(name, takes);
      m.setAccessible(true);
      return m;
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
