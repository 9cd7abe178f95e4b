/** A monitor is held in a method that a helper sleeps for, below two others that hold one each. So is a lock, by a thread that hardly ever waits for it. */
public class Helped {
  static final class Stock { }
  static final class Till { }
  static final Stock stock = new Stock();
  static final Till till = new Till();
  static final java.util.concurrent.locks.ReentrantLock safe = new java.util.concurrent.locks.ReentrantLock();

  static void sleep() throws InterruptedException { Thread.sleep(20); }
  static void audit() throws InterruptedException { synchronized (stock) { sleep(); } Thread.sleep(1); }
  static void buy() throws InterruptedException { synchronized (stock) { Thread.yield(); } Thread.sleep(1); }
  static void close() throws InterruptedException { synchronized (till) { count(); } Thread.sleep(1); }
  static void count() throws InterruptedException { synchronized (stock) { sleep(); } }
  static void pay() throws InterruptedException { synchronized (till) { Thread.yield(); } Thread.sleep(1); }
  static void keep() throws InterruptedException { safe.lock(); try { sleep(); } finally { safe.unlock(); } Thread.sleep(1); }
  static void look() throws InterruptedException { safe.lock(); safe.unlock(); Thread.sleep(1); }

  public static void main(String[] args) {
    Busy.forever(Helped::keep);
    for (int i = 0; i < 3; i++) Busy.forever(Helped::look);
    Busy.forever(Helped::audit);
    Busy.forever(Helped::close);
    for (int i = 0; i < 3; i++) { Busy.forever(Helped::buy); Busy.forever(Helped::pay); }
    System.out.println("ready");
  }
}
