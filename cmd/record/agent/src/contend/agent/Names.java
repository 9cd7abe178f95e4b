package contend.agent;

import java.io.IOException;
import java.lang.management.MonitorInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The ids of locks and stacks in a trace, each announced before its first use.
 * Memory is bounded: so many are remembered, then all are forgotten and get new
 * ids.
 */
final class Names {
  static final Stack NO_STACK = new Stack(new StackTraceElement[0]);

  static final int MOST = 1 << 14;
  private static final int MOST_FRAMES = 1 << 17; // of all stacks together: about 5 MB

  private final TraceWriter out;
  private final Map<Contended.Lock, Integer> locks = new HashMap<>();
  private final Map<Stack, Stack> stacks = new HashMap<>();
  private int lastLock, lastStack, frames;
  private Exact exact; // which is told of contended locks; may be null

  Names(TraceWriter out) {
    this.out = out;
  }

  void tells(Exact exact) {
    this.exact = exact;
  }

  /** Whether waits for a lock are recorded, so that a sample of it stands for no time. */
  boolean records(Contended.Lock l) {
    return exact != null && exact.records(l);
  }

  /** The classes of the locks. */
  Set<String> classes() {
    Set<String> out = new HashSet<>();
    for (Contended.Lock l : locks.keySet()) {
      out.add(l.name);
    }
    return out;
  }

  void announce(Contended.Lock l, int kind) throws IOException {
    if (!locks.containsKey(l)) {
      if (exact != null) {
        exact.contended(l.name);
      }
      locks.put(l, ++lastLock);
      out.begin(TraceWriter.OBJECT).number(lastLock).text(l.name).number(l.hash & 0xffffffffL).number(kind).text("").number(0).end();
    }
  }

  void announce(Stack s) throws IOException {
    if (s.frames.length == 0 || s.id != 0) {
      return;
    }
    Stack known = stacks.get(s);
    if (known != null) {
      s.id = known.id;
      known.saw(s.monitors);
      s.known = known;
      return;
    }
    s.id = ++lastStack;
    stacks.put(s, s);
    frames += s.frames.length;
    out.begin(TraceWriter.STACK).number(lastStack).number(s.frames.length);
    for (StackTraceElement f : s.frames) {
      out.frame(f);
    }
    out.end();
  }

  /** Forgets locks and stacks when they have become many; between samples only, whose events name them. */
  void trim() {
    if (stacks.size() >= MOST || frames >= MOST_FRAMES) {
      stacks.clear();
      frames = 0;
    }
    if (locks.size() >= MOST) {
      locks.clear();
    }
  }

  int lock(Contended.Lock l) {
    return locks.get(l);
  }

  static final class Stack {
    final StackTraceElement[] frames;
    int id; // in the trace, where it stays; 0 before it is announced
    MonitorInfo[] monitors = {}; // that its frames entered, as far as the JVM was asked for them
    int asked; // how often it was, for an owner of a monitor: see Monitors
    Stack known = this; // the first that was announced with equal frames

    Stack(StackTraceElement[] frames) {
      this.frames = frames;
    }

    void saw(MonitorInfo[] more) {
      if (more.length > 0) { // else it was about to enter
        known.monitors = more;
      }
    }

    /** The innermost frame; null when there is none. */
    StackTraceElement top() {
      return frames.length == 0 ? null : frames[0];
    }

    /** Whether the innermost method is of a class, and its name begins so. */
    boolean in(String type, String method) {
      StackTraceElement top = top();
      return top != null && top.getClassName().equals(type) && top.getMethodName().startsWith(method);
    }

    @Override
    public boolean equals(Object o) {
      return o == this || o instanceof Stack && Arrays.equals(((Stack) o).frames, frames);
    }

    @Override
    public int hashCode() {
      int h = 0;
      for (StackTraceElement f : frames) { // their own takes five times as long
        h = 31 * (31 * h + f.getLineNumber()) + f.getMethodName().hashCode();
      }
      return h;
    }
  }
}
