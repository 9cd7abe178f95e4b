package contend.agent;

import java.io.IOException;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * How long threads were blocked at monitors, as the JVM itself measures it: what
 * is too short for a sample is in it, and so is the time of a thread that was
 * woken but has no processor yet. The JVM measures only while its contention
 * monitoring is on; it is off by default, and so it is again at the end.
 */
final class Blocked {
  // How many recordings of this JVM need the switch, each with classes of its
  // own: the last one turns it off. Equal strings are one object, too.
  private static final String USERS = "contend.agent.monitoring";

  private static final int FEW = 2; // samples of a thread that weigh as much as those of all others

  private final ThreadMXBean threads;
  private final TraceWriter out;
  private final Map<Long, Account> accounts = new HashMap<>();
  private boolean switched, measures, told, first = true;
  private final Seen all = new Seen();

  Blocked(ThreadMXBean threads, TraceWriter out) {
    this.threads = threads;
    this.out = out;
  }

  void begin() throws IOException {
    try {
      measures = threads.isThreadContentionMonitoringSupported() && switchOn();
    } catch (SecurityException e) {
      return; // samples then stand for what they show
    }
    if (measures) {
      told = true;
      say("blocked");
    }
  }

  private void say(String how) throws IOException {
    out.begin(TraceWriter.SETTING).text("calibration").text(how).signed(0).end();
  }

  private boolean switchOn() {
    synchronized (USERS) {
      int users = Integer.getInteger(USERS, 0);
      if (users > 0 || !threads.isThreadContentionMonitoringEnabled()) { // else the program wants it on, now and later
        System.setProperty(USERS, Integer.toString(users + 1));
        switched = true;
        threads.setThreadContentionMonitoringEnabled(true);
      }
    }
    return true;
  }

  void end() {
    if (!switched) {
      return;
    }
    switched = false;
    synchronized (USERS) {
      int users = Integer.getInteger(USERS, 1) - 1;
      if (users > 0) {
        System.setProperty(USERS, Integer.toString(users));
        return;
      }
      System.clearProperty(USERS);
      threads.setThreadContentionMonitoringEnabled(false);
    }
  }

  /** Takes in how the program's threads stand at an instant; the first {@link #looked} ends what is known of before. */
  void look(ThreadInfo t, long now) {
    if (!measures) {
      return;
    }
    if (t.getBlockedTime() < 0) { // somebody turned it off
      measures = false;
      return;
    }
    Account a = accounts.get(t.getThreadId());
    if (a == null) {
      accounts.put(t.getThreadId(), a = new Account(first ? t.getBlockedTime() * 1_000_000 : 0));
    }
    a.look(t, now, first);
  }

  void looked() {
    first = false;
  }

  /**
   * Takes in a sample of a thread that is blocked: it came for the lock, or it was
   * notified and is on its way back, which the JVM counts alike. Some threads do
   * mostly the one, others the other.
   */
  void seen(long thread, boolean returns) {
    all.add(returns);
    Account a = accounts.get(thread);
    if (a != null) {
      a.seen.add(returns);
    }
  }

  /** Writes what was measured since the last time, up to that of the last sample, and forgets who has ended. */
  void write(long time, Living living) throws IOException {
    for (Iterator<Map.Entry<Long, Account>> at = accounts.entrySet().iterator(); at.hasNext(); ) {
      Map.Entry<Long, Account> e = at.next();
      Account a = e.getValue();
      long ns = a.unwritten(a.seen.share(FEW, all.share(0, 1)));
      if (ns != 0) {
        out.begin(TraceWriter.BLOCKED).time(time).number(e.getKey()).signed(ns).end();
      }
      if (living.get(e.getKey()) == null) {
        at.remove();
      }
    }
    if (!measures && told) {
      told = false;
      accounts.clear();
      say("none");
    }
  }

  /** What one thread was blocked, in nanoseconds; the JVM counts in milliseconds. */
  private static final class Account {
    private long base; // the JVM's count when the recording began
    private long counted; // the JVM's count, with the wait that goes on
    private long looked, since; // a wait that began before the recording: when it was seen, first and last
    private boolean preexisting;
    private long number; // of that wait
    private long written;
    private final Seen seen = new Seen();

    Account(long base) {
      this.base = base;
      this.counted = base;
    }

    void look(ThreadInfo t, long now, boolean first) {
      boolean blocked = t.getThreadState() == Thread.State.BLOCKED;
      if (preexisting && (!blocked || t.getBlockedCount() != number)) {
        base -= missing();
        preexisting = false;
      }
      if (blocked && first) {
        preexisting = true;
        since = now;
        number = t.getBlockedCount();
      }
      looked = now;
      counted = t.getBlockedTime() * 1_000_000;
    }

    /** What the count has not of a wait that began before it was switched on. */
    private long missing() {
      return preexisting ? Math.max(looked - since - (counted - base), 0) : 0;
    }

    /** What it was blocked for locks it came for, so much of all, since this was last asked. */
    long unwritten(double share) {
      long now = (long) ((counted - base + missing()) * share);
      long ns = now - written;
      written = now;
      return ns;
    }
  }

  /** Samples of blocked threads. */
  private static final class Seen {
    private long came, returned;

    void add(boolean returns) {
      if (returns) {
        returned++;
      } else {
        came++;
      }
    }

    /** The part of those who came for the lock; so many more samples are taken to have shown this part. */
    double share(int more, double ofMore) {
      long seen = came + returned + more;
      return seen == 0 ? ofMore : (came + more * ofMore) / seen;
    }
  }
}
