/** Two methods that take turns on a monitor and on a lock, until the process ends: slow holds each for 60 ms, quick for none. With -Dhang=true slow holds the monitor for ever. */
public class Busy {
  static final Object monitor = new Object();
  static final java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock();

  static void slow() throws InterruptedException {
    synchronized (monitor) {
      Thread.sleep(Boolean.getBoolean("hang") ? Long.MAX_VALUE : 60);
    }
    lock.lock();
    try {
      Thread.sleep(60);
    } finally {
      lock.unlock();
    }
  }

  static void quick() throws InterruptedException {
    synchronized (monitor) {
    }
    lock.lock();
    lock.unlock();
    Thread.sleep(1);
  }

  interface Work {
    void run() throws InterruptedException;
  }

  static void forever(Work w) {
    new Thread(() -> {
      try {
        while (true) {
          w.run();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }).start();
  }

  public static void main(String[] args) {
    forever(Busy::slow);
    for (int i = 0; i < 3; i++) {
      forever(Busy::quick);
    }
    System.out.println("ready");
  }
}
