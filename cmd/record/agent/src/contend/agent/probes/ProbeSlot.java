package contend.agent.probes;

import java.util.concurrent.atomic.AtomicLong;

/** What is kept of a thread. */
final class ProbeSlot {
  private static final int RING = 3 << 10;
  private static final int RECENT = 16, FIRST = 3;

  final Thread thread;
  final long id;
  final int number; // that of its id that events have
  ProbeSlot next, nextLogging;
  boolean busy; // it runs code of the probes that may take locks itself
  Object a = Probe.NOTHING, b = a, c = a; // the locks that it used first
  ProbeCell aCell, bCell, cCell;
  private final ProbeEntry[] recent = new ProbeEntry[RECENT]; // others
  private volatile int kept; // how many it remembered lately
  private int at; // where the last one is that was found

  ProbeCell asked; // whose request is logged and not answered
  ProbeCell left; // in Object.wait or await, with what it held
  int leftSite, leftAgain;
  Object leftAt; // the object or condition; null when it was notified
  ProbeSlot before, after; // in the cell's list of these threads

  ProbeHolds shared; // null before it shares one
  ProbeHolds held; // of the locks that are sampled; null before there is one
  int waitsFor, waitSite; // of those: one more than the id, 0 for none

  private long[] ring; // of events, three numbers each
  private volatile long read; // by the agent
  private final AtomicLong written = new AtomicLong();
  long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7; // slots of other threads are in other lines of the processor's caches

  ProbeSlot(Thread thread, ProbeSlot next) {
    this.thread = thread;
    this.id = thread.getId();
    this.number = (int) id;
    this.next = next;
  }

  /** One of the last locks that were remembered; null if it is none. */
  ProbeEntry recent(Object o) {
    ProbeEntry e = recent[at];
    if (e != null && e.get() == o) {
      return e;
    }
    for (int i = 0; i < RECENT && recent[i] != null; i++) {
      if (recent[i].get() == o) {
        at = i;
        return recent[i];
      }
    }
    return null;
  }

  /** Has a lock that was found among others found at once, while there is room for it. */
  void promote(Object o, ProbeEntry e) {
    if (kept < FIRST) {
      remember(o, e);
    }
  }

  /** A reference that is stored costs much more than an int: so the first stay, and others are replaced one by one. */
  void remember(Object o, ProbeEntry e) {
    switch (kept++) {
      case 0:
        aCell = e.cell;
        a = o;
        break;
      case 1:
        bCell = e.cell;
        b = o;
        break;
      case 2:
        cCell = e.cell;
        c = o;
        break;
      default:
        at = kept - FIRST - 1 & RECENT - 1;
        recent[at] = e;
    }
  }

  /** Lets go of locks that may be garbage but for this. Another thread does it: what is written meanwhile stays. */
  private void forget() {
    kept = 0; // first: a busy thread remembers its lock as soon as it misses it
    a = b = c = Probe.NOTHING;
  }

  /** Forgets threads that have ended; returns the first of the others. */
  static ProbeSlot living(ProbeSlot first) {
    ProbeSlot before = null;
    for (ProbeSlot s = first; s != null; s = s.next) {
      s.forget();
      if (!s.ended()) {
        before = s;
      } else if (before == null) {
        first = s.next;
      } else {
        before.next = s.next;
      }
    }
    return first;
  }

  boolean ended() {
    return thread.getState() == Thread.State.TERMINATED;
  }

  void share(int cell, int site) {
    if (shared == null) {
      shared = new ProbeHolds();
      Probe.shares(this);
    }
    shared.push(cell, site);
  }

  /** It wants a lock that is sampled. */
  void want(int cell, int site) {
    if (held == null) {
      held = new ProbeHolds();
      Probe.samples(this);
    }
    waitSite = site;
    waitsFor = cell + 1;
  }

  void hold(int cell, int site) {
    if (held == null) {
      held = new ProbeHolds();
      Probe.samples(this);
    }
    held.push(cell, site);
    waitsFor = 0;
  }

  /** The site at which it holds a lock that is sampled; -1 if it does not. */
  int holds(int cell) {
    ProbeHolds h = held;
    return h == null ? -1 : h.site(cell);
  }

  void giveUp() {
    log(System.nanoTime(), Probe.FAIL, asked.id, 0, 0, 0);
    ProbeCell.WAITERS.decrementAndGet(asked);
    asked = null;
  }

  void log(long time, int what, int cell, int site, int owner, int ownerSite) {
    if (ring == null) {
      ring = new long[RING];
      Probe.logs(this);
    }
    long at = written.get();
    if (at - read >= RING) {
      Probe.lose();
      return;
    }
    int i = (int) (at % RING);
    ring[i] = time;
    ring[i + 1] = (long) what << 60 | (long) cell << 32 | site & 0xffffffffL;
    ring[i + 2] = (long) owner << 32 | ownerSite & 0xffffffffL;
    written.lazySet(at + 3);
  }

  int drain(long[] into, int n) {
    for (long to = written.get(); read < to && n + 4 <= into.length; n += 4) {
      System.arraycopy(ring, (int) (read % RING), into, n, 3);
      into[n + 3] = number;
      read += 3;
    }
    return n;
  }

  boolean drained() {
    return read == written.get();
  }
}
