/** Four threads are notified again and again, and get their monitor back when the notifier releases it: 30 of each 40 ms later. Two others take turns at another monitor, of which one or the other always waits. */
public class Returns {
  static final class Bell { }
  static final class Till { }
  static final Bell bell = new Bell();
  static final Till till = new Till();

  static void rung() throws InterruptedException { synchronized (bell) { bell.wait(); } }
  static void ring() throws InterruptedException { synchronized (bell) { bell.notifyAll(); Thread.sleep(30); } Thread.sleep(10); }
  static void serve() throws InterruptedException { synchronized (till) { Thread.sleep(20); } }

  public static void main(String[] args) {
    Busy.forever(Returns::ring);
    for (int i = 0; i < 4; i++) Busy.forever(Returns::rung);
    for (int i = 0; i < 2; i++) Busy.forever(Returns::serve);
    System.out.println("ready");
  }
}
