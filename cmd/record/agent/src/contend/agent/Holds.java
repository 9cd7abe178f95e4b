package contend.agent;

import contend.agent.probes.Probe;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes waits and holds of the probes' events, and writes them. Of a lock nothing is known before a thread
 * waits: that thread's request names the owner. From then on each acquisition and release is an
 * event, until nobody waits.
 */
final class Holds {
  private static final long LATE_NANOS = 300_000_000L; // so much later than those of others a thread's events may be seen
  private static final long LATELY_NANOS = 2_000_000_000L; // samples are kept for so long
  private static final int MOST_SAMPLES = 64; // of a thread
  private static final int PLACES = 21; // bits

  private final TraceWriter out;
  private final Names names;
  private final Sites sites;
  private final long epoch; // what System.nanoTime() lacks to the time of day
  private final Map<Integer, Lock> locks = new HashMap<>();
  private final Set<Contended.Lock> recorded = new HashSet<>();
  private final List<long[]> events = new ArrayList<>();
  private final Set<Integer> named = new HashSet<>(); // threads
  private final Map<Integer, StackTraceElement[]> chains = new HashMap<>(); // by site: the frames that all its samples have in common
  private final Map<Integer, Names.Stack> stacks = new HashMap<>(); // the same, in the trace
  private final Map<Long, Deque<Sample>> samples = new HashMap<>(); // by thread
  private final Threads threads;

  /** Who a thread is; null when it has ended. */
  interface Threads {
    Thread get(int number);
  }

  Holds(TraceWriter out, Names names, Sites sites, long epoch, Threads threads) {
    this.out = out;
    this.names = names;
    this.sites = sites;
    this.epoch = epoch;
    this.threads = threads;
  }

  /** Takes in a lock that is contended for the first time. */
  void lock(int id, String name, int hash, int kind) {
    Lock l = new Lock(new Contended.Lock(name, hash), kind);
    locks.put(id, l);
    recorded.add(l.name);
  }

  boolean records(Contended.Lock l) {
    return recorded.contains(l);
  }

  /** A lock's holds end in other threads than they begin in: what is recorded of it would be wrong. Returns its class. */
  String refuse(int id) {
    Lock l = locks.get(id);
    l.refused = true;
    recorded.remove(l.name);
    return l.name.name;
  }

  void event(long time, long what, long whom, int thread) throws IOException {
    name(thread);
    int kind = (int) (what >>> 60);
    if (kind == Probe.REQUEST || kind == Probe.NOTIFY) {
      name((int) (whom >>> 32));
    }
    if (events.size() < 1 << PLACES) {
      events.add(new long[] {time, what, whom, thread});
    }
  }

  /** Names a thread now: it may have ended when its waits are written. */
  private void name(int thread) throws IOException {
    if (thread != 0 && named.add(thread)) {
      Thread t = threads.get(thread);
      out.begin(TraceWriter.THREAD).number(thread).text(t == null ? "" : t.getName()).text("").end();
    }
    if (named.size() >= Names.MOST) {
      named.clear();
    }
  }

  /** Takes in a sample of a thread. */
  void sample(long thread, long time, StackTraceElement[] frames) {
    boolean any = false;
    for (int i = 0; i < frames.length; i++) {
      int site = sites.of(frames[i]);
      if (site != 0) {
        any = true;
        chain(site, frames, i);
      }
    }
    if (any) {
      Deque<Sample> of = samples.get(thread);
      if (of == null) {
        samples.put(thread, of = new ArrayDeque<>());
      }
      of.add(new Sample(time, frames));
      if (of.size() > MOST_SAMPLES) {
        of.poll();
      }
    }
  }

  private void chain(int site, StackTraceElement[] frames, int from) {
    StackTraceElement[] known = chains.get(site);
    int n = frames.length - from;
    if (known != null) {
      n = 0;
      while (n < known.length && from + n < frames.length && known[n].equals(frames[from + n])) {
        n++;
      }
      if (n == known.length) {
        return;
      }
    }
    chains.put(site, Arrays.copyOfRange(frames, from, from + Math.max(n, 1)));
    stacks.remove(site);
  }

  /** Writes what happened until shortly before now, or all. */
  void write(long now, boolean all) throws IOException {
    long[] order = new long[events.size()]; // a time fits beside a place, where they span less than an hour
    for (int i = 0; i < order.length; i++) {
      order[i] = events.get(i)[0] - now << PLACES | i;
    }
    Arrays.sort(order);
    List<long[]> later = new ArrayList<>();
    for (long o : order) {
      long[] e = events.get((int) o & (1 << PLACES) - 1);
      if (all || e[0] < now - LATE_NANOS) {
        write(e);
      } else {
        later.add(e);
      }
    }
    events.clear();
    events.addAll(later);
    if (all) {
      for (Lock l : locks.values()) {
        end(l, now);
      }
    }
    for (Iterator<Deque<Sample>> at = samples.values().iterator(); at.hasNext(); ) {
      Deque<Sample> of = at.next();
      while (!of.isEmpty() && of.peek().time < now - LATELY_NANOS) {
        of.poll();
      }
      if (of.isEmpty()) {
        at.remove();
      }
    }
  }

  private void write(long[] e) throws IOException {
    long time = e[0];
    int what = (int) (e[1] >>> 60), flags = (int) e[1], thread = (int) e[3], owner = (int) (e[2] >>> 32);
    Lock l = locks.get((int) (e[1] >>> 32) & (1 << 28) - 1);
    if (l == null || l.refused) {
      return;
    }
    Span span = new Span(time, flags & Probe.SITE, flags & Probe.SHARED);
    Span other = new Span(time, (int) e[2] & Probe.SITE, (int) e[2] & Probe.SHARED);
    switch (what) {
      case Probe.REQUEST:
        request(l, thread, span, owner, other);
        break;
      case Probe.NOTIFY:
        request(l, owner, other, thread, span);
        break;
      case Probe.ACQUIRE:
        if (owner != 0) { // it has waited
          answer(l, thread, time, 0);
        }
        exclude(l, span);
        l.holds.put(thread, span);
        break;
      case Probe.RELEASE:
        release(l, thread, l.holds.remove(thread), time);
        break;
      default:
        answer(l, thread, time, 1);
    }
    if (l.waits.isEmpty()) {
      end(l, time); // the next request names the owner
    }
  }

  /** owner: 0 when nobody had the lock. */
  private void request(Lock l, int thread, Span wait, int owner, Span hold) throws IOException {
    if (!l.waits.containsKey(thread)) {
      l.waits.put(thread, wait);
    }
    if (owner == 0) {
      exclude(l, wait);
    } else if (!l.holds.containsKey(owner)) {
      exclude(l, hold);
      l.holds.put(owner, hold);
    }
  }

  private void end(Lock l, long time) throws IOException {
    for (Map.Entry<Integer, Span> e : l.holds.entrySet()) {
      release(l, e.getKey(), e.getValue(), time);
    }
    l.holds.clear();
    for (Integer thread : new ArrayList<>(l.waits.keySet())) {
      answer(l, thread, time, 1);
    }
  }

  /** Ends holds that cannot go on beside another one: their release was not told. */
  private void exclude(Lock l, Span by) throws IOException {
    for (Iterator<Map.Entry<Integer, Span>> at = l.holds.entrySet().iterator(); at.hasNext(); ) {
      Map.Entry<Integer, Span> e = at.next();
      if (by.shared == 0 || e.getValue().shared == 0) {
        release(l, e.getKey(), e.getValue(), by.start);
        at.remove();
      }
    }
  }

  private void release(Lock l, int thread, Span hold, long time) throws IOException {
    if (hold == null || time <= hold.start) {
      return;
    }
    Names.Stack at = announce(l, thread, hold, time);
    out.begin(TraceWriter.TENURE).time(hold.start + epoch).signed(time - hold.start).number(thread).number(names.lock(l.name))
        .number(hold.shared == 0 ? 0 : 1).number(at.id).end();
  }

  private void answer(Lock l, int thread, long time, int failed) throws IOException {
    Span wait = l.waits.remove(thread);
    if (wait == null || time <= wait.start) {
      return;
    }
    Names.Stack at = announce(l, thread, wait, time);
    out.begin(TraceWriter.WAIT).time(wait.start + epoch).signed(time - wait.start).number(thread).number(names.lock(l.name))
        .number(wait.shared == 0 ? 0 : 1).number(at.id).number(0).number(failed).end();
  }

  /** Writes a look at a lock that is sampled, which stands for some time; at has the owners, then the waiters, each with its site. */
  void write(int id, long time, long weight, int[] at, int from, int owners, int waiters) throws IOException {
    Lock l = locks.get(id);
    if (l == null || l.refused) {
      return;
    }
    int[] stack = new int[owners + waiters];
    for (int i = 0; i < stack.length; i++) {
      name(at[from + 2 * i]);
      stack[i] = announce(l, at[from + 2 * i], new Span(time, at[from + 2 * i + 1], 0), time + 1).id;
    }
    out.begin(TraceWriter.CONTENTION).time(time + epoch).signed(weight).number(names.lock(l.name));
    for (int i = 0; i < stack.length; i++) {
      if (i == 0) {
        out.number(owners);
      }
      if (i == owners) {
        out.number(waiters);
      }
      out.number(at[from + 2 * i]).number(stack[i]).number(0);
    }
    out.end();
  }

  private Names.Stack announce(Lock l, int thread, Span span, long end) throws IOException {
    names.announce(l.name, l.kind);
    Names.Stack at = stack(thread, span, end);
    names.announce(at);
    return at;
  }

  /** The call chain of a wait or a hold: of a sample in it; else what all samples of its site have in common. */
  private Names.Stack stack(long thread, Span span, long end) {
    StackTraceElement site = sites.at(span.site);
    if (site == null) {
      return Names.NO_STACK;
    }
    Deque<Sample> of = samples.get(thread);
    for (Sample s : of == null ? Collections.<Sample>emptyList() : of) {
      if (s.time >= span.start && s.time < end) {
        for (int i = 0; i < s.frames.length; i++) {
          if (sites.of(s.frames[i]) == span.site) {
            return new Names.Stack(Arrays.copyOfRange(s.frames, i, s.frames.length));
          }
        }
      }
    }
    Names.Stack known = stacks.get(span.site);
    if (known == null) {
      StackTraceElement[] chain = chains.get(span.site);
      stacks.put(span.site, known = new Names.Stack(chain == null ? new StackTraceElement[] {site} : chain));
    }
    return known;
  }

  /** A wait or a hold; shared is not 0 where others may hold the lock, too. */
  private static final class Span {
    final long start;
    final int site, shared;

    Span(long start, int site, int shared) {
      this.start = start;
      this.site = site;
      this.shared = shared;
    }
  }

  private static final class Sample {
    final long time;
    final StackTraceElement[] frames;

    Sample(long time, StackTraceElement[] frames) {
      this.time = time;
      this.frames = frames;
    }
  }

  private static final class Lock {
    final Contended.Lock name;
    final int kind;
    final Map<Integer, Span> holds = new LinkedHashMap<>(), waits = new LinkedHashMap<>(); // by thread
    boolean refused;

    Lock(Contended.Lock name, int kind) {
      this.name = name;
      this.kind = kind;
    }
  }
}
