package contend.agent;

import java.io.IOException;
import java.lang.management.LockInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * For whom the program is stopped: a stack costs more than anything else that is
 * asked. Of each lock those are who own it, and two who wait for it: they tell
 * who owns it by then. All others who wait only where their stacks are wanted
 * and not known from before, since they have waited ever since. As long as there
 * are few, those are as well who wanted or owned a lock lately: they may have
 * taken one by then.
 *
 * Beside a flight recording, which has the stacks of who waits when that ends, those
 * of owners are enough, but once that of who hangs, and where many locks are contended those of some, drawn anew each
 * time: no program is so large that a sample costs it more.
 */
final class Choice {
  private static final int MANY = 64; // threads
  private static final int FEW = 32; // the same beside a flight recording, where many locks are contended
  static final int MOST = 2 * FEW; // that are asked there what they wait for
  private static final int TELLING = 2;
  private static final int UNTOLD = 8; // of those who wait for locks that nobody owns: which these are, is not told

  final List<Living.One> stop = new ArrayList<>();
  final List<Living.One> stand = new ArrayList<>(); // who waits still, with the stack that was taken before
  private final Living living;

  /** want: who wants something, and was looked at just now; could: who is to be shown where it runs. */
  Choice(List<Living.One> want, List<Living.One> could, Living living, boolean owners, long now, Random random) throws IOException {
    this.living = living;
    List<List<Living.One>> queues = queues(want);
    Collections.shuffle(queues, random);
    for (List<Living.One> queue : queues) {
      take(queue, owners, now, random);
    }
    if (!want.isEmpty()) {
      living.fill(this, MANY, now);
    }
    for (Living.One t : could) {
      stop(t);
    }
  }

  private List<List<Living.One>> queues(List<Living.One> want) {
    Map<Contended.Lock, List<Living.One>> by = new LinkedHashMap<>();
    for (Living.One t : want) {
      if (t.was != null) { // else it has ended
        queue(t, by);
      }
    }
    return new ArrayList<>(by.values());
  }

  private static void queue(Living.One t, Map<Contended.Lock, List<Living.One>> by) {
    LockInfo of = t.lock(t.was);
    Contended.Lock l = of == null ? null : new Contended.Lock(of); // null when it has it by now
    List<Living.One> queue = by.get(l);
    if (queue == null) {
      by.put(l, queue = new ArrayList<>());
    }
    queue.add(t);
  }

  private void take(List<Living.One> queue, boolean owners, long now, Random random) throws IOException {
    int telling = 0, most = queue.get(0).lock(queue.get(0).was) == null ? UNTOLD : TELLING;
    for (int i = 0; i < queue.size(); i++) {
      if (i < most) { // who tells is drawn
        Collections.swap(queue, i, i + random.nextInt(queue.size() - i));
      }
      Living.One t = queue.get(i);
      t.matters(now);
      boolean hangs = owners && t.hangs(now);
      if (telling < most && (!owners || stop.size() < FEW)) {
        telling++;
        stop(t);
        own(t.owner(t.was), now);
      } else if (owners ? hangs && stop.size() < MANY : !t.stands()) {
        stop(t);
      } else if (!owners) {
        stand.add(t);
        t.at = t.was;
      }
    }
  }

  private void own(long id, long now) throws IOException {
    Living.One owner = living.owner(id);
    if (owner != null) {
      owner.matters(now);
      living.works(owner);
      stop(owner);
    }
  }

  void stop(Living.One t) {
    if (!t.stops) {
      t.stops = true;
      stop.add(t);
    }
  }

  /** Some of a list, drawn anew each time, where it is long. */
  static List<Living.One> some(List<Living.One> of, int most, Random random) {
    if (of.size() <= most) {
      return of;
    }
    Collections.shuffle(of, random);
    return of.subList(0, most);
  }
}
