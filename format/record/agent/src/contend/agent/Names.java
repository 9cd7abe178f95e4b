package contend.agent;

import java.io.IOException;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The ids of a trace: threads, locks and stacks, each announced before its
 * first use. Memory is bounded: of locks and stacks so many are remembered,
 * then all are forgotten and get new ids.
 */
final class Names {
  private static final int MOST = 1 << 14;
  private static final int MOST_FRAMES = 1 << 17; // of all stacks together: about 5 MB

  private final TraceWriter out;
  private final Set<Long> threads = new HashSet<>();
  private final Map<Sampler.Lock, Integer> locks = new HashMap<>();
  private final Map<Stack, Integer> stacks = new HashMap<>();
  private final Set<Long> system = new HashSet<>(); // threads of the JVM itself, and ours
  private int lastLock, lastStack, frames, alive, idle;

  Names(TraceWriter out) {
    this.out = out;
  }

  /** Takes in who lives: announces who is new, and says who has ended. */
  void live(ThreadInfo[] all) throws IOException {
    Set<Long> now = new HashSet<>();
    boolean unknown = false;
    for (ThreadInfo t : all) {
      if (t != null) {
        now.add(t.getThreadId());
        unknown |= !threads.contains(t.getThreadId()) && !system.contains(t.getThreadId());
      }
    }
    system.retainAll(now);
    threads.retainAll(now);
    if (unknown) {
      findSystem();
    }
    alive = 0;
    idle = 0;
    for (ThreadInfo t : all) {
      if (t == null || !counts(t)) {
        continue;
      }
      alive++;
      Thread.State s = t.getThreadState();
      if ((s == Thread.State.WAITING || s == Thread.State.TIMED_WAITING)
          && (t.getLockInfo() == null || Locks.kind(t.getLockInfo().getClassName()) == Locks.NONE)) {
        idle++;
      }
      if (!threads.contains(t.getThreadId())) {
        threads.add(t.getThreadId());
        out.begin(TraceWriter.THREAD).number(t.getThreadId()).text(t.getThreadName()).text("").end();
      }
    }
  }

  // ThreadInfo does not tell a thread's group; the groups tell their threads.
  // What the JVM runs for itself is in the outermost group and beside it.
  private void findSystem() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    Thread[] list = new Thread[top.activeCount() + 64];
    for (int i = top.enumerate(list, true) - 1; i >= 0; i--) {
      ThreadGroup g = list[i].getThreadGroup();
      if (g == null || g == top || g.getName().equals("InnocuousThreadGroup") || list[i].getName().startsWith("contend-")) {
        system.add(list[i].getId());
      }
    }
  }

  /** Whether a thread is the program's. */
  boolean counts(ThreadInfo t) {
    return !system.contains(t.getThreadId());
  }

  int alive() {
    return alive;
  }

  int idle() {
    return idle;
  }

  /** Announces a lock and the stacks of those who hold it or wait for it, before the sample that names them. */
  void announce(Sampler.Lock l, Sampler.Contended c, Sampler sampler, Map<Long, ThreadInfo> shown) throws IOException {
    if (!locks.containsKey(l)) {
      locks.put(l, ++lastLock);
      out.begin(TraceWriter.OBJECT).number(lastLock).text(l.name).number(l.hash & 0xffffffffL).number(c.kind).text("").number(0).end();
    }
    for (ThreadInfo w : c.waiters) {
      announce(sampler.stack(w));
    }
    ThreadInfo owner = shown.get(c.owner);
    if (owner != null) {
      announce(sampler.stack(owner));
    }
  }

  private void announce(StackTraceElement[] frames) throws IOException {
    Stack s = new Stack(frames);
    if (frames.length == 0 || stacks.containsKey(s)) {
      return;
    }
    stacks.put(s, ++lastStack);
    this.frames += frames.length;
    out.begin(TraceWriter.STACK).number(lastStack).number(frames.length);
    for (StackTraceElement f : frames) {
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

  int lock(Sampler.Lock l) {
    return locks.get(l);
  }

  int stack(StackTraceElement[] frames) {
    Integer id = stacks.get(new Stack(frames));
    return id == null ? 0 : id;
  }

  /** A thread's id in the trace is its id in Java, which a flight recording knows as well; 0 for one that was not announced. */
  long thread(long id) {
    return threads.contains(id) ? id : 0;
  }

  private static final class Stack {
    private final StackTraceElement[] frames;
    private final int hash;

    Stack(StackTraceElement[] frames) {
      this.frames = frames;
      this.hash = Arrays.hashCode(frames);
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Stack && ((Stack) o).hash == hash && Arrays.equals(((Stack) o).frames, frames);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
