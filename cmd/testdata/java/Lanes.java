import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/** Virtual threads that take turns at a monitor and at a lock, at two places each, and a log of how long each place held them. */
public class Lanes {
  static final class Shelf {}

  static final Shelf shelf = new Shelf();
  static final ReentrantLock till = new ReentrantLock();
  static final AtomicLongArray held = new AtomicLongArray(4);

  static void nap(int place, int ms) {
    long since = System.nanoTime();
    try { Thread.sleep(ms); } catch (InterruptedException e) { throw new IllegalStateException(e); }
    held.addAndGet(place, System.nanoTime() - since);
  }

  static void count() { synchronized (shelf) { nap(0, 30); } }
  static void fill() { synchronized (shelf) { nap(1, 10); } }
  static void audit() { till.lock(); try { nap(2, 30); } finally { till.unlock(); } }
  static void pay() { till.lock(); try { nap(3, 10); } finally { till.unlock(); } }

  static void forever(Runnable r) {
    Thread.ofVirtual().start(() -> { while (true) { r.run(); try { Thread.sleep(5); } catch (InterruptedException e) { return; } } });
  }

  public static void main(String[] args) throws Exception {
    forever(Lanes::count);
    forever(Lanes::audit);
    for (int i = 0; i < 3; i++) {
      forever(Lanes::fill);
      forever(Lanes::pay);
    }
    System.out.println("ready");
    while (true) {
      Thread.sleep(100);
      java.nio.file.Files.writeString(java.nio.file.Path.of(args[0] + ".next"), held.get(0) + " " + held.get(1) + " " + held.get(2) + " " + held.get(3));
      java.nio.file.Files.move(java.nio.file.Path.of(args[0] + ".next"), java.nio.file.Path.of(args[0]), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
