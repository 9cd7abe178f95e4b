package contend.agent;

import java.io.IOException;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells which frames of the owners' stacks took the monitors. A JVM looks for them in all
 * monitors of the program, so that it is asked only after a sample that showed an owner with
 * a stack of which this is not known: equal stacks took monitors of equal classes.
 */
final class Monitors {
  private static final int TOOK = 10; // as the trace format calls it
  private static final int PATIENCE = 4; // samples for which the JVM was asked and that show an owner with a stack, until it is taken not to tell
  private static final int OTHER = 16; // as many samples for which it was not asked count as one
  private static final Method ASK = ask();

  private final ThreadMXBean threads;
  private final TraceWriter out;
  private final Names names;
  private final Code code = new Code();
  private final Set<Long> told = new HashSet<>(); // stacks and locks
  private boolean unknown;
  private boolean asked; // for the sample at hand

  Monitors(ThreadMXBean threads, TraceWriter out, Names names) {
    this.threads = threads;
    this.out = out;
    this.names = names;
  }

  /** The next sample begins. */
  void begin() {
    code.begin();
  }

  /** Returns the stacks of threads, if it is time with their monitors. */
  ThreadInfo[] stacks(long[] ids, int depth) {
    asked = unknown;
    unknown = false;
    if (asked) {
      try {
        return (ThreadInfo[]) ASK.invoke(threads, ids, true, false, depth);
      } catch (IllegalAccessException | InvocationTargetException e) {
        // then it does not tell
      }
    }
    return threads.getThreadInfo(ids, depth);
  }

  /** Whether one frame of a stack is of a method that takes locks of java.util.concurrent, and has taken one. */
  boolean took(StackTraceElement[] frames) {
    return code.took(frames) >= 0;
  }

  /** Writes with which stack the owner of a monitor took it, once, or has the JVM be asked. */
  void owned(long now, Contended.Lock lock, int kind, Names.Stack owner) throws IOException {
    if (owner.frames.length == 0) {
      return;
    }
    if (told.size() >= Names.MOST) {
      told.clear();
    }
    int depth = kind == Locks.MONITOR ? depth(owner.known.monitors, lock) : code.took(owner.frames);
    if (depth < 0 && (kind != Locks.MONITOR || ASK == null)) {
      return;
    } else if (depth < 0) {
      owner.known.asked += asked ? OTHER : 1;
      unknown |= owner.known.asked <= PATIENCE * OTHER;
    } else if (told.add((long) owner.id << 32 | names.lock(lock))) {
      Names.Stack took = new Names.Stack(Arrays.copyOfRange(owner.frames, depth, owner.frames.length));
      names.announce(took);
      out.begin(TraceWriter.ACTIVITY).time(now).signed(0).number(0).number(TOOK).number(took.id).number(names.lock(lock)).end();
    }
  }

  /** The outermost frame that entered a monitor, or the only one of its class where the stack was seen with another; -1 if that is not known. */
  private static int depth(MonitorInfo[] monitors, Contended.Lock lock) {
    int of = -1, alike = -1, others = 0;
    for (MonitorInfo m : monitors) {
      if (m.getClassName().equals(lock.name)) {
        others += alike == m.getLockedStackDepth() ? 0 : 1;
        alike = m.getLockedStackDepth();
        of = m.getIdentityHashCode() == lock.hash ? Math.max(of, alike) : of;
      }
    }
    return of >= 0 || others != 1 ? of : alike;
  }

  // It is of JDK 10: those before do not bound the depth.
  private static Method ask() {
    try {
      return ThreadMXBean.class.getMethod("getThreadInfo", long[].class, boolean.class, boolean.class, int.class);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}
