package contend.agent;

import java.io.IOException;
import java.lang.management.MonitorInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The part of a sample that shows virtual threads. No stop shows them. Who is parked at a lock
 * of java.util.concurrent, and who owns that, is read of all at one instant. A monitor tells
 * neither: threads are looked at one after the other, in an order drawn anew each time, and each
 * shows what it waits for and what it owns at an instant that has nothing to do with what it does.
 * While the others are looked at a monitor may pass from one owner to the next: then both are
 * seen with it, or none is. The second of two stands for a later none, so that each owner is
 * shown as often as it had the monitor. One that runs shows where it is alone: it owns a monitor
 * if it is in a method in which others wait for it.
 */
final class Virtual {
  private static final int MOST = 32; // waiters, where there are more each stands for several; and as many that may own what is waited for
  private static final long LATELY = 2_000_000_000L;
  private static final int REMEMBERED = 1 << 12;
  private static final Owner FREE = new Owner(null, null, null), UNKNOWN = new Owner(null, null, null);

  private final TraceWriter out;
  private final Names names;
  private final Monitors monitors;
  private final Living living;
  private final Random random;
  private final Map<Object, Queue> queues = new IdentityHashMap<>(); // of this sample, by lock
  private final Map<Object, List<Owner>> had = new IdentityHashMap<>(); // monitors of those looked at
  private final List<Owner> mounted = new ArrayList<>(); // of those looked at, whose monitors are not told
  private final Map<Contended.Lock, ArrayDeque<Owner>> spare = new HashMap<>();
  private final Map<String, Set<String>> entered = new HashMap<>(); // in which methods threads waited for monitors, by class
  private final Map<Long, Long> lately = new HashMap<>(); // when a thread last owned a monitor
  private final Set<Long> told = new HashSet<>(); // threads whose names are written
  private final Set<Long> resting = new HashSet<>(); // who waits for no lock and owns none that is waited for, in this sample
  private final Set<Long> tangled = new HashSet<>(); // who seemed to wait for itself in the sample before
  private boolean whole; // every thread that may own a monitor was looked at
  int alive, idle; // in this sample, and who of them waits for no lock

  Virtual(TraceWriter out, Names names, Monitors monitors, Living living, Random random) throws IOException {
    this.out = out;
    this.names = names;
    this.monitors = monitors;
    this.living = living;
    this.random = random;
    out.setting("virtual-threads", "sampled");
  }

  void look(long now) {
    alive = 0;
    List<One> parked = new ArrayList<>(), blocked = new ArrayList<>(), running = new ArrayList<>(), still = new ArrayList<>();
    for (Thread t : Snapshot.threads()) {
      sort(new One(t, true), parked, blocked, running, still);
    }
    List<One> at = drawn(parked);
    for (One o : at) {
      queue(o.wants, Locks.kind(o.wants.getClass().getName())).waiters.add(o);
    }
    for (Queue q : queues.values()) {
      q.first = Signalled.owner(q.lock);
    }
    for (Queue q : queues.values()) {
      q.owner = q.first == null ? FREE : owner(q.lock, q.first);
    }
    whole = at.size() == parked.size();
    if (!blocked.isEmpty()) {
      List<One> some = drawn(blocked);
      whole &= some.size() == blocked.size();
      at.addAll(some);
      at.addAll(mayOwn(running, still, now));
    }
    Collections.shuffle(at, random);
    List<One> again = new ArrayList<>();
    for (One o : at) {
      if (!look(o)) {
        again.add(o);
      }
    }
    for (One o : again) {
      look(o);
    }
    for (Queue q : queues.values()) {
      q.owner = q.kind == Locks.MONITOR ? owner(q, now) : q.owner;
      resting.remove(q.owner.id);
    }
    idle = resting.size();
    untangle();
  }

  /**
   * Takes out who waits for itself. It is not so at one instant, but for a deadlock: that is
   * shown from the second sample in a row on.
   */
  private void untangle() {
    Map<Long, Queue> waits = new HashMap<>();
    for (Queue q : queues.values()) {
      for (One w : q.waiters) {
        waits.put(w.thread.getId(), q);
      }
    }
    Set<Long> before = new HashSet<>(tangled);
    tangled.clear();
    for (Queue q : queues.values()) {
      for (Iterator<One> at = q.waiters.iterator(); at.hasNext(); ) {
        long id = at.next().thread.getId();
        if (circle(id, q, waits) && (q.owner.id == id || tangled.add(id) && !before.contains(id))) {
          at.remove();
        }
      }
    }
  }

  private static boolean circle(long thread, Queue q, Map<Long, Queue> waits) {
    for (int n = waits.size(); q != null && n >= 0 && q.owner.id != thread; n--) {
      q = waits.get(q.owner.id);
    }
    return q != null && q.owner.id == thread;
  }

  private void sort(One o, List<One> parked, List<One> blocked, List<One> running, List<One> still) {
    int state = Snapshot.state(o.thread);
    if (state == Snapshot.NEW || state == Snapshot.TERMINATED) {
      return;
    }
    alive++;
    o.wants = Signalled.lock(o.thread, LockSupport.getBlocker(o.thread));
    if (o.wants != null) {
      parked.add(o);
    } else if (Snapshot.enters(state)) {
      blocked.add(o);
    } else if (Snapshot.stands(state)) {
      resting.add(o.thread.getId());
      still.add(o);
    } else if (state != Snapshot.STARTED) {
      running.add(o);
    }
  }

  /** Some of those that wait, each for as many as it stands for. */
  private List<One> drawn(List<One> of) {
    int many = (of.size() + MOST - 1) / MOST;
    Collections.shuffle(of, random);
    List<One> some = new ArrayList<>();
    for (int i = many > 1 ? random.nextInt(many) : 0; i < of.size(); i += many) {
      of.get(i).many = many;
      some.add(of.get(i));
    }
    return some;
  }

  /** Those that may own a monitor: first who runs, then who owned one of late. */
  private List<One> mayOwn(List<One> running, List<One> still, long now) {
    for (Thread t : living.program()) {
      (t.getState() == Thread.State.RUNNABLE ? running : still).add(new One(t, false));
    }
    for (List<One> list : Arrays.asList(running, still)) {
      Collections.shuffle(list, random);
    }
    List<One> some = new ArrayList<>(running), rest = new ArrayList<>();
    for (One o : still) {
      Long at = lately.get(o.thread.getId());
      (at != null && now - at < LATELY ? some : rest).add(o);
    }
    some.addAll(rest);
    whole &= some.size() <= MOST;
    for (One o : some) {
      o.many = whole && o.virtual ? 1 : 0; // who has begun to wait by now stands for who has left
    }
    return some.subList(0, Math.min(some.size(), MOST));
  }

  /** Looks at one thread; false where that is better done later. */
  private boolean look(One o) {
    int state = o.virtual ? Snapshot.state(o.thread) : Snapshot.STARTED;
    if (Snapshot.moves(state)) {
      return false;
    }
    Snapshot s = Snapshot.of(o.thread);
    if (s == null) {
      return true;
    }
    Owner seen = new Owner(o.thread, s, null);
    o.seen = o.wants == null || s.at != null ? seen : null; // else it waits no more
    if (o.wants == null && o.many > 0 && s.at != null && (s.how == Snapshot.ENTERS || Snapshot.enters(state) && s.how == Snapshot.WAITS)) {
      o.wants = s.at;
      queue(o.wants, Locks.MONITOR).waiters.add(o);
    }
    if (s.mounted) {
      mounted.add(seen);
    }
    for (Object m : s.owned) {
      if (m != null) {
        List<Owner> by = had.get(m);
        if (by == null) {
          had.put(m, by = new ArrayList<>());
        }
        if (!by.contains(seen)) {
          by.add(seen);
        }
      }
    }
    return true;
  }

  /**
   * The owner of a lock of java.util.concurrent, with the stack it has it with: it owns the lock
   * thereafter, too, or its stack is in a method that takes locks.
   */
  private Owner owner(Object lock, Thread owner) {
    Snapshot s = Snapshot.of(owner);
    boolean has = Signalled.owner(lock) == owner;
    return new Owner(owner, s != null && (has || monitors.took(s.frames)) ? s : null, null);
  }

  private Queue queue(Object lock, int kind) {
    Queue q = queues.get(lock);
    if (q == null) {
      queues.put(lock, q = new Queue(lock, kind));
    }
    return q;
  }

  /** Writes what was seen, which stands for so many ns; a flight recording has no ticks that tell it. */
  void write(long time, long ns, boolean evidence) throws IOException {
    for (Queue q : queues.values()) {
      write(q, q.owner, time, evidence ? ns : 0);
      for (One w : evidence || q.kind != Locks.MONITOR || names.records(q.name) ? Collections.<One>emptyList() : q.waiters) { // no JVM measures these
        out.begin(TraceWriter.BLOCKED).time(time).number(w.thread.getId()).signed(w.many * ns).end();
      }
    }
    queues.clear(); // what is in them is the program's
    had.clear();
    mounted.clear();
    resting.clear();
    if (told.size() > REMEMBERED || entered.size() > REMEMBERED || spare.size() > REMEMBERED || lately.size() > REMEMBERED) {
      told.clear();
      entered.clear();
      spare.clear();
      lately.clear();
    }
  }

  /** The owner of a monitor. */
  private Owner owner(Queue q, long now) {
    ArrayDeque<Owner> more = spare.get(q.name);
    List<Owner> seen = had.get(q.lock);
    Owner runs = runs(q);
    if (seen == null) {
      return runs != FREE ? runs : more != null && !more.isEmpty() ? more.poll() : whole ? FREE : UNKNOWN;
    }
    for (Owner o : seen) {
      lately.put(o.id, now);
      o.stack.saw(o.seen.monitors(q.lock));
      if (o != seen.get(0)) {
        if (more == null) {
          spare.put(q.name, more = new ArrayDeque<>());
        }
        more.add(new Owner(null, null, o));
      }
    }
    return seen.get(0);
  }

  /** Who runs in a method in which others waited for such a monitor: its owner, where it is one alone; of several one is, and which is not known. */
  private Owner runs(Queue q) {
    Owner found = FREE;
    Set<String> in = entered.get(q.name.name);
    if (in == null) {
      entered.put(q.name.name, in = new HashSet<>());
    }
    for (One w : q.waiters) {
      if (w.stack().top() != null) {
        in.add(method(w.stack().top()));
      }
    }
    for (Owner o : mounted) {
      int depth = o.stack.frames.length - 1;
      while (depth >= 0 && !in.contains(method(o.stack.frames[depth]))) {
        depth--;
      }
      if (depth >= 0) {
        o.stack.saw(new MonitorInfo[] {new MonitorInfo(q.name.name, q.name.hash, depth, o.stack.frames[depth])});
        found = found == FREE ? o : UNKNOWN;
      }
    }
    return found;
  }

  private static String method(StackTraceElement f) {
    return f.getClassName() + '.' + f.getMethodName();
  }

  private void write(Queue q, Owner owner, long time, long weight) throws IOException {
    if (q.waiters.isEmpty()) {
      return;
    }
    names.announce(q.name, q.kind);
    int waiters = 0;
    for (One w : q.waiters) {
      announce(w.thread.getId(), w.thread.getName());
      names.announce(w.stack());
      waiters += w.many;
    }
    boolean known = owner != FREE && owner != UNKNOWN;
    if (known) {
      announce(owner.id, owner.name);
      names.announce(owner.stack);
    }
    out.begin(TraceWriter.CONTENTION).time(time).signed(names.records(q.name) ? -1 : weight).number(names.lock(q.name));
    if (known) {
      out.number(1).number(owner.id).number(owner.stack.id).number(0);
    } else if (owner == FREE && (q.kind == Locks.MONITOR || q.kind == Locks.SYNCHRONIZER)) {
      out.number(0);
    } else {
      out.number(1).number(0).number(0).number(owner == FREE ? 1 : 0); // readers and permits have no name
    }
    out.number(waiters);
    for (One w : q.waiters) {
      int shares = Locks.shares(q.kind, w.stack().frames) ? 1 : 0;
      for (int i = 0; i < w.many; i++) {
        out.number(w.thread.getId()).number(w.stack().id).number(shares);
      }
    }
    out.end();
    if (known) {
      monitors.owned(time, q.name, q.kind, owner.stack);
    }
  }

  private void announce(long id, String name) throws IOException {
    if (living.get(id) == null && told.add(id)) {
      out.begin(TraceWriter.THREAD).number(id).text(name).text("").end();
    }
  }

  /** One thread of this sample. */
  private static final class One {
    final Thread thread;
    final boolean virtual;
    Object wants; // the lock that it waits for
    int many; // that it stands for as a waiter
    Owner seen; // null before it was looked at

    One(Thread thread, boolean virtual) {
      this.thread = thread;
      this.virtual = virtual;
    }

    Names.Stack stack() {
      return seen == null ? Names.NO_STACK : seen.stack;
    }
  }

  /** A thread with what a snapshot shows of it. */
  private static final class Owner {
    final long id;
    final String name;
    final Names.Stack stack;
    final Thread thread; // null where it is kept for another sample
    final Snapshot seen; // likewise

    Owner(Thread thread, Snapshot seen, Owner kept) {
      this.thread = thread;
      this.seen = seen;
      this.id = kept != null ? kept.id : thread == null ? 0 : thread.getId();
      this.name = kept != null ? kept.name : thread == null ? "" : thread.getName();
      this.stack = kept != null ? kept.stack : seen == null ? Names.NO_STACK : new Names.Stack(seen.frames);
    }
  }

  /** A lock that is waited for. */
  private static final class Queue {
    final Object lock;
    final Contended.Lock name;
    final int kind;
    final List<One> waiters = new ArrayList<>();
    Thread first;
    Owner owner; // of a lock of java.util.concurrent

    Queue(Object lock, int kind) {
      this.lock = lock;
      this.name = new Contended.Lock(lock);
      this.kind = kind;
    }
  }
}
