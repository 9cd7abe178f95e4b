package contend.agent;

import java.io.IOException;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

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

  private static final int MANY = 16; // so many that show somebody waiting tell how much they miss
  private static final int MOST = 2; // times what they show

  private final ThreadMXBean threads;
  private final TraceWriter out;
  private final List<Account> accounts = new ArrayList<>();
  private boolean switched, measures, told;
  private final Account all = new Account(0, 0, 0); // threads together
  private long samples, begun, apart; // number of the sample, when it was, and how long after the one before
  private double shown, ends; // waiting that samples show, between looks at its thread, and before and after
  private double scale = 1; // what that before and after stands for

  Blocked(ThreadMXBean threads, TraceWriter out) {
    this.threads = threads;
    this.out = out;
  }

  void begin() throws IOException {
    try {
      measures = told = threads.isThreadContentionMonitoringSupported();
      if (measures) {
        switchOn();
        out.setting("calibration", "blocked");
      }
    } catch (SecurityException e) {
      measures = told = false; // samples then stand for what they show
    }
  }

  private void switchOn() {
    synchronized (USERS) {
      int users = Integer.getInteger(USERS, 0);
      if (users > 0 || !threads.isThreadContentionMonitoringEnabled()) { // else the program wants it on, now and later
        System.setProperty(USERS, Integer.toString(users + 1));
        switched = true;
        threads.setThreadContentionMonitoringEnabled(true);
      }
    }
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

  /** The next sample begins. */
  void begins(long now) {
    apart = samples++ == 0 ? 0 : now - begun;
    begun = now;
  }

  /** Takes in how a thread of the program stands at an instant, null when it has ended; the first sample ends what is known of before. */
  void look(Living.One one, ThreadInfo t, long now) {
    if (!measures || t == null) {
      return;
    }
    if (t.getBlockedTime() < 0) { // somebody turned it off
      measures = false;
      return;
    }
    if (one.account == null) {
      accounts.add(one.account = new Account(one.id, t.getBlockedTime() * 1_000_000, samples));
    }
    one.account.look(t, now, samples);
  }

  /** Takes in that the sample shows a thread waiting for a monitor, which stands for so many; null where none was measured. */
  void shows(Account a, int many) {
    if (a != null) {
      shown += many * apart;
      a.shown = samples;
      a.apart = many * apart;
      if (a.first == samples && samples > 1) {
        edge(a);
      }
    }
  }

  // What a thread was blocked before it was first seen or after it was last seen, no
  // JVM tells once it has ended, nor of threads that were never seen. Samples do: one
  // that is the first of its thread or the last stands for half of the time to the
  // next by that. That is scaled as what was measured between looks is to what they
  // show. Where threads live for a few looks only, these come when they mostly begin
  // and end, and tell less of what is between: then it makes up for what is missing
  // of what all samples show.
  private void edge(Account a) {
    long ns = (long) (a.apart / 2 * scale);
    a.edges += ns;
    all.edges += ns;
    ends += a.apart / 2.0;
    shown -= a.apart / 2.0;
  }

  /** Writes what was measured since the last time, up to that of the last sample, and forgets who has ended. */
  void write(long time, Living living) throws IOException {
    double open = 0; // of what is shown, what comes after the last look
    for (Iterator<Account> at = accounts.iterator(); at.hasNext(); ) {
      Account a = at.next();
      boolean last = a.shown == a.sample;
      if (living.get(a.thread) == null) {
        at.remove();
        if (last) {
          edge(a);
        }
      } else if (last) {
        open += a.apart / 2.0;
      }
      long ns = a.unwritten();
      all.written += ns;
      if (ns != 0) {
        out.begin(TraceWriter.BLOCKED).time(time).number(a.thread).signed(ns).end();
      }
    }
    if (apart > 0) {
      double few = MANY * apart, measured = all.written - all.edges, sampled = shown - open;
      scale = Math.min(Math.max((measured + few) / (sampled + few), 1 + (sampled - measured) / (ends + few)), MOST);
    }
    if (!measures && told) {
      told = false;
      accounts.clear();
      out.setting("calibration", "none");
    }
  }

  /** What one thread was blocked, in nanoseconds; the JVM counts in milliseconds. */
  static final class Account {
    final long thread;
    long base; // the JVM's count when it was first seen
    long counted; // the JVM's count, with the wait that goes on
    long looked, since; // a wait that began before the recording: when it was seen, first and last
    boolean preexisting;
    long number; // of that wait
    final long first; // sample it was seen in
    long sample, shown, apart; // it was last seen in, and that last showed it waiting, how long after the one before
    long edges; // what it was blocked before it was first seen, and after it was last seen
    long written;

    Account(long thread, long base, long sample) {
      this.thread = thread;
      this.base = base;
      this.counted = base;
      this.first = sample;
    }

    void look(ThreadInfo t, long now, long sample) {
      boolean blocked = t.getThreadState() == Thread.State.BLOCKED;
      if (preexisting && (!blocked || t.getBlockedCount() != number)) {
        base -= missing();
        preexisting = false;
      }
      if (blocked && sample == 1) {
        preexisting = true;
        since = now;
        number = t.getBlockedCount();
      }
      this.sample = sample;
      looked = now;
      counted = t.getBlockedTime() * 1_000_000;
    }

    /** What the count has not of a wait that began before it was switched on. */
    private long missing() {
      return preexisting ? Math.max(looked - since - (counted - base), 0) : 0;
    }

    /** What it was blocked since this was last asked. */
    long unwritten() {
      long now = counted - base + missing() + edges;
      long ns = now - written;
      written = now;
      return ns;
    }
  }
}
