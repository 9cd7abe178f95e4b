/** Two threads take turns at a lock, at first seldom and then, when a file is there, all the time. */
public class Phased {
  static final Object lock = new Object();

  static void turn(java.io.File begins) throws InterruptedException {
    if (!begins.exists()) { Thread.sleep(20); return; }
    synchronized (lock) { Thread.sleep(20); }
  }

  public static void main(String[] args) {
    java.io.File begins = new java.io.File(args[0]);
    for (int i = 0; i < 4; i++) Busy.forever(() -> turn(begins));
    System.out.println("ready");
  }
}
