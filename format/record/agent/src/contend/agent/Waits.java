package contend.agent;

import java.lang.management.ThreadInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for whom in a sample. The stop shows one instant. Who was not stopped
 * for is shown as just before, and who waits by the JVM's count alone at the lock of
 * before: out of two instants chains may come that never were, and circles, which
 * would be taken for deadlocks. In a true one all stand still, and all owners are
 * stopped for.
 */
final class Waits {
  private final Map<Long, Contended> locks = new HashMap<>(); // that a thread waits for
  private final Set<Long> owners = new HashSet<>();

  Waits(Collection<Contended> of) {
    for (Contended c : of) {
      for (ThreadInfo t : c.waiters) {
        add(t, c);
      }
    }
  }

  void add(ThreadInfo t, Contended c) {
    locks.put(t.getThreadId(), c);
    owners.add(c.owner());
  }

  /** Whether one who was seen just before the stop may wait still for a lock of this owner. */
  boolean may(ThreadInfo was, long owner) {
    return !owners.contains(was.getThreadId()) && !circle(was.getThreadId(), owner);
  }

  /** Whether a thread that waits for a lock of this owner waits for itself. */
  private boolean circle(long thread, long owner) {
    for (int n = 0; n <= locks.size() && owner != thread; n++) {
      Contended next = locks.get(owner);
      if (next == null) {
        return false;
      }
      owner = next.owner();
    }
    return owner == thread;
  }

  /** Takes out who does not wait any more, as the rest shows; adds those of them who were parked to left. */
  void clean(Collection<Contended> of, Living living, List<ThreadInfo> left) {
    for (Contended c : of) {
      for (Iterator<ThreadInfo> at = c.waiters.iterator(); at.hasNext(); ) {
        ThreadInfo t = at.next();
        Living.One one = living.get(t.getThreadId()); // null when it ends just now
        boolean stopped = one == null || t != one.was, parked = Living.waits(t.getThreadState());
        if (c.owner() == t.getThreadId() // has it by now, or has been given it: that is found out later
            || (stopped ? parked || t.getThreadState() == Thread.State.BLOCKED || !circle(t.getThreadId(), c.owner()) : may(t, c.owner()))) {
          continue;
        }
        at.remove();
        locks.remove(t.getThreadId());
        if (parked) {
          left.add(t);
        }
      }
    }
  }
}
