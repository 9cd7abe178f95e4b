import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

/** A hundred threads wait nearly all the time, so many that each part of the threads has some; meanwhile, for half of it, four hundred others wait as well. Prints for how long the ones and the others did. */
public class Stretched {
  static final Lock few = new ReentrantReadWriteLock().writeLock(), crowd = new ReentrantLock();
  static final LongAdder ofFew = new LongAdder(), ofCrowd = new LongAdder();
  static volatile boolean done;

  static void take(Lock l, LongAdder waited, long ms) {
    long begun = System.nanoTime();
    l.lock();
    waited.add(System.nanoTime() - begun);
    rest(ms);
    l.unlock();
  }

  static void rest(long ms) {
    try { Thread.sleep(ms); } catch (InterruptedException e) { throw new IllegalStateException(e); }
  }

  public static void main(String[] args) throws Exception {
    rest(1000); // the agent is at work
    Thread[] all = new Thread[500];
    for (int i = 0; i < 100; i++) (all[i] = new Thread(() -> { while (!done) take(few, ofFew, 20); })).start();
    rest(4000);
    crowd.lock();
    for (int i = 100; i < all.length; i++) (all[i] = new Thread(() -> take(crowd, ofCrowd, 0))).start();
    rest(8000);
    crowd.unlock();
    rest(4000);
    done = true;
    for (Thread t : all) t.join();
    rest(500);
    System.out.println(ofFew + " " + ofCrowd);
  }
}
