package contend.agent;

import contend.agent.probes.Probe;
import java.util.Collections;

/** A lock for which a thread asks as often as may be logged; prints whether it is sampled: it is not if that took a second. */
public final class Busy {
  private static final int ASKS = 600, MOST = 1000; // a second

  public static void main(String[] args) throws Exception {
    Object lock = new Busy();
    Probe.begin(Collections.singleton(Busy.class.getName()), 1, MOST);
    Probe.acquired(lock, 1);
    asks(lock);
    boolean slowly = Probe.pace(1_000_000_000L);
    asks(lock);
    System.out.println(slowly + " " + Probe.pace(20_000_000));
  }

  private static void asks(Object lock) throws InterruptedException {
    Thread t = new Thread(() -> {
      for (int i = 0; i < ASKS; i++) {
        Probe.request(lock, 1);
      }
    });
    t.start();
    t.join();
  }
}
