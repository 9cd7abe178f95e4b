import java.util.ArrayDeque;

/** Two bounded queues of one class: those who put and take notify others at the same places of the program. */
public class Notifies {
  static final class Queue {
    final ArrayDeque<Integer> items = new ArrayDeque<>();

    synchronized void put(int item) throws InterruptedException {
      while (items.size() >= 4) wait(20);
      items.add(item);
      spin(40);
      notifyAll();
    }

    synchronized Integer take() throws InterruptedException {
      while (items.isEmpty()) wait(20);
      spin(60);
      notifyAll();
      return items.poll();
    }
  }

  static volatile long sink;

  static void spin(long micros) {
    for (long end = System.nanoTime() + micros * 1000; System.nanoTime() < end; ) sink++;
  }

  public static void main(String[] args) throws Exception {
    Queue[] queues = {new Queue(), new Queue()};
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000L;
    for (int i = 0; i < 8; i++) {
      int id = i;
      Thread t = new Thread(() -> {
        try {
          for (int n = id; System.nanoTime() < end; n++) {
            Queue q = queues[n % 2];
            if (id < 4) q.put(n); else q.take();
            spin(200);
            if (n % 16 == 0) Thread.sleep(1);
          }
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }, (id < 4 ? "putter-" : "taker-") + id);
      t.setDaemon(true);
      t.start();
    }
    Thread.sleep(Math.max((end - System.nanoTime()) / 1_000_000, 1));
  }
}
