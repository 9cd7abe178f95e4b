package contend.agent;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * Who waits for whom in a sample. The stop shows one instant. Who was not stopped
 * for is shown as just before, and who waits by the JVM's count alone at the lock of
 * before: out of two instants chains may come that never were, and circles, which
 * would be taken for deadlocks. In a true one all stand still, and all owners are
 * stopped for.
 */
final class Waits {
  private final Living living;

  Waits(Collection<Contended> of, Living living) {
    this.living = living;
    for (Contended c : of) {
      for (Living.One t : c.waiters) {
        t.wants = c;
      }
      owned(c);
    }
  }

  void add(Living.One t, Contended c) {
    t.wants = c;
    owned(c);
  }

  private void owned(Contended c) {
    Living.One owner = living.get(c.owner());
    if (owner != null) {
      owner.owns = true;
    }
  }

  /** Whether one who was seen just before the stop may wait still for a lock of this owner. */
  boolean may(Living.One t, long owner) {
    return !t.owns && !circle(t.id, owner);
  }

  /** Whether a thread that waits for a lock of this owner waits for itself. */
  private boolean circle(long thread, long owner) {
    for (int n = living.alive; n >= 0 && owner != thread; n--) {
      Living.One next = living.get(owner);
      if (next == null || next.wants == null) {
        return false;
      }
      owner = next.wants.owner();
    }
    return owner == thread;
  }

  /** Takes out who does not wait any more, as the rest shows; adds those of them who were parked to left. */
  void clean(Collection<Contended> of, List<Living.One> left) {
    for (Contended c : of) {
      for (Iterator<Living.One> at = c.waiters.iterator(); at.hasNext(); ) {
        Living.One t = at.next();
        if (!still(t, c.owner())) {
          at.remove();
          t.wants = null;
          if (t.drawn && Living.waits(t.at.getThreadState())) {
            left.add(t);
          }
        }
      }
    }
  }

  private boolean still(Living.One t, long owner) {
    Thread.State state = t.at.getThreadState();
    return owner == t.id // has it by now, or has been given it: that is found out later
        || (t.stops ? Living.waits(state) || state == Thread.State.BLOCKED || !circle(t.id, owner) : may(t, owner));
  }
}
