package shapes;

import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * Locks taken in odd ways by three threads at once. argument: for how many milliseconds. Prints what went wrong,
 * which locks are not free at the end, and "done".
 */
public final class Shapes {
  static final class Box {
    int n;

    synchronized int method(long a, double b, Object c) {
      nap();
      return work(20);
    }

    synchronized void fails() {
      work(20);
      throw new IllegalStateException();
    }

    static synchronized void ofClass() {
      nap();
    }

    static synchronized long ofClass(long a, double b, boolean c) {
      long sum = 0;
      for (int i = 0; i < 3; i++) {
        String s = i == 1 ? "a" : "b"; // frames with variables of two places
        sum += c ? s.length() + a : (long) b;
      }
      if (sum < 0) {
        throw new IllegalStateException();
      }
      return sum + work(1);
    }

    synchronized native void unlinked();
  }

  static final class Own extends ReentrantLock {}

  /** Releases what another class acquires. */
  static final class Elsewhere {
    static void unlock() {
      lock.unlock();
    }
  }

  interface Gives<T> {
    T gives(T t);
  }

  /** Its method is entered through one that the compiler adds. */
  static final class Generic implements Gives<String> {
    @Override
    public synchronized String gives(String t) {
      nap();
      return t;
    }
  }

  /** A monitor, or a lock with a condition, at which a thread waits for another's notification. */
  static final class Told {
    static final int TIMES = 4, MILLIS = 25; // so often, and so long the lock is kept afterwards
    final ReentrantLock lock;
    final Condition told;
    int asks, answers;

    Told(ReentrantLock lock) {
      this.lock = lock;
      told = lock == null ? null : lock.newCondition();
    }

    void asks() throws InterruptedException {
      for (int i = 0; i < TIMES; i++) {
        if (lock == null) {
          synchronized (this) {
            asks++;
            while (answers <= i) {
              this.wait();
            }
          }
        } else {
          lock.lock();
          asks++;
          while (answers <= i) {
            told.await();
          }
          lock.unlock();
        }
      }
    }

    void answers() throws InterruptedException {
      while (answers < TIMES) {
        Thread.sleep(10);
        if (lock == null) {
          synchronized (this) {
            if (asks > answers) {
              answers++;
              this.notify();
              Thread.sleep(MILLIS);
            }
          }
        } else {
          lock.lock();
          if (asks > answers) {
            answers++;
            told.signalAll();
            Thread.sleep(MILLIS);
          }
          lock.unlock();
        }
      }
    }
  }

  interface Task {
    void run() throws InterruptedException;
  }

  static Thread start(String name, Task t) {
    Thread thread = new Thread(() -> {
      try {
        t.run();
      } catch (Throwable e) {
        e.printStackTrace();
      }
    }, name);
    thread.start();
    return thread;
  }

  private static final Box box = new Box(), other = new Box();
  private static final ReentrantLock lock = new Own();
  private static final Condition condition = lock.newCondition();
  private static final ReentrantReadWriteLock both = new ReentrantReadWriteLock();
  private static final StampedLock stamped = new StampedLock();
  private static final Semaphore permit = new Semaphore(1);
  private static final Map<Integer, String> table = new Hashtable<>(), map = Collections.synchronizedMap(new HashMap<Integer, String>());
  private static final Map<Integer, String> bins = new ConcurrentHashMap<>(Collections.singletonMap(1, "a"));
  private static final Vector<Integer> vector = new Vector<>(Arrays.asList(1, 2));
  private static final PrintStream stream = new PrintStream(new OutputStream() {
    @Override
    public void write(int b) {
      work(1);
    }
  });
  private static final Gives<String> generic = new Generic();
  private static Runnable old;
  private static Runnable[] foreign;
  private static final StringBuffer buffer = new StringBuffer("text");
  private static volatile int sink;

  public static int work(int n) {
    int x = sink;
    for (int i = 0; i < 100 * n; i++) {
      x = x * 31 + i;
    }
    return sink = x;
  }

  /** Holds what it holds for long enough that others come. */
  public static void nap() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void monitors() {
    try {
      synchronized (box) {
        work(20);
        Integer.parseInt("x");
      }
    } catch (NumberFormatException e) {
      // thrown with the lock held
    }
    returns(3);
    synchronized (box) {
      while (true) {
        if (work(5) == 0 || box.n++ % 3 == 0) {
          break;
        }
      }
      synchronized (box) {
        synchronized (other) {
          work(10);
        }
      }
    }
    Runnable lambda = () -> {
      synchronized (box) {
        work(10);
      }
    };
    lambda.run();
    for (Object o : new Object[] {box, "text", new int[1], Shapes.class}) {
      synchronized (o) {
        work(5);
      }
    }
    try {
      synchronized (work(1) == 7 ? (Object) null : nothing()) {
        work(1);
      }
    } catch (NullPointerException e) {
      // nothing was acquired
    }
  }

  private static Object nothing() {
    return null;
  }

  private static int returns(int k) {
    synchronized (box) {
      for (int i = 0; ; i++) {
        work(2);
        if (i > k) {
          return i;
        }
      }
    }
  }

  private static void methods() {
    box.method(1, 2, null);
    Box.ofClass();
    for (int i = 0; i < 50; i++) {
      Box.ofClass(i, 2, i < 3);
    }
    try {
      box.fails();
    } catch (IllegalStateException e) {
      // thrown out of a synchronized method
    }
    try {
      box.unlinked();
    } catch (UnsatisfiedLinkError e) {
      // native code that does not exist: it was not entered
    }
    table.put(work(1) & 7, "a");
    map.computeIfAbsent(work(1) & 7, k -> "b" + work(5));
    map.remove(work(1) & 7);
    stream.println("some text");
  }

  /** What three threads do at once, so that two of them wait. */
  private static void together(CyclicBarrier all) throws InterruptedException {
    Runnable[] shapes = {
      () -> bins.compute(1, (k, v) -> {
        nap();
        return v;
      }),
      () -> vector.replaceAll(n -> {
        nap();
        return n;
      }),
      () -> generic.gives("x"),
      old,
      foreign[0],
      foreign[1],
      () -> buffer.reverse().charAt(0),
    };
    try {
      for (Runnable shape : shapes) {
        for (int i = 0; i < 5; i++) {
          all.await();
          shape.run();
        }
      }
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void locks() throws InterruptedException {
    lock.lock();
    try {
      nap();
    } finally {
      Elsewhere.unlock();
    }
    if (lock.tryLock()) {
      Elsewhere.unlock();
    }
    if (lock.tryLock(5, TimeUnit.MILLISECONDS)) {
      Elsewhere.unlock();
    }
    lock.lockInterruptibly();
    try {
      condition.await(1, TimeUnit.MILLISECONDS);
      condition.awaitNanos(1000);
      work(5);
      condition.signalAll();
    } finally {
      lock.unlock();
    }
    if (lock.tryLock()) {
      try {
        condition.awaitUntil(new Date(System.currentTimeMillis() + 1));
      } finally {
        lock.unlock();
      }
    }
    both.readLock().lock();
    work(10);
    both.readLock().unlock();
    both.writeLock().lock();
    nap();
    both.writeLock().unlock();
    long stamp = stamped.readLock();
    work(5);
    stamped.unlockRead(stamp);
    stamp = stamped.writeLock();
    nap();
    stamped.unlock(stamp);
    stamp = stamped.tryWriteLock(1, TimeUnit.MILLISECONDS);
    if (stamp != 0) {
      stamped.unlockWrite(stamp);
    }
    Lock view = stamped.asWriteLock();
    view.lock();
    nap();
    view.unlock();
    view = stamped.asReadLock();
    view.lock();
    view.unlock();
    stamp = stamped.readLockInterruptibly();
    stamped.unlockRead(stamp);
    permit.acquire();
    nap();
    permit.release();
    permit.acquireUninterruptibly();
    permit.release(1);
    if (permit.tryAcquire()) {
      permit.release();
    }
    if (permit.tryAcquire(1, TimeUnit.MILLISECONDS)) {
      permit.release();
    }
  }

  private static void waits() throws InterruptedException {
    synchronized (other) {
      other.wait(1);
      work(5);
      other.notify();
    }
    try {
      Thread.currentThread().interrupt();
      synchronized (other) {
        other.wait();
      }
    } catch (InterruptedException e) {
      // it has the lock again
    }
  }

  public static void main(String[] args) throws Exception {
    for (Told told : new Told[] {new Told(null), new Told(new ReentrantLock(true))}) { // fair: no other lock here is
      Thread asker = start("asker", told::asks);
      start("answerer", told::answers).join();
      asker.join();
    }
    old = Old.Loader.made();
    foreign = Foreign.made();
    long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    List<Thread> all = new ArrayList<>();
    CyclicBarrier barrier = new CyclicBarrier(3);
    for (int i = 0; i < 3; i++) {
      Thread t = start("worker", () -> {
        together(barrier);
        for (int round = 0; round < 10 || System.nanoTime() < until; round++) {
          monitors();
          methods();
          locks();
          waits();
        }
      });
      all.add(t);
    }
    for (Thread t : all) {
      t.join();
    }
    if (Thread.holdsLock(box) || lock.isLocked() || lock.hasQueuedThreads() || both.isWriteLocked() || both.getReadLockCount() > 0
        || stamped.isReadLocked() || stamped.isWriteLocked() || permit.availablePermits() != 1) {
      System.out.println("a lock is not free");
    }
    if (!Modifier.isSynchronized(Box.class.getDeclaredMethod("unlinked").getModifiers())) {
      System.out.println("a native method lost its monitor");
    }
    System.out.println("done");
  }
}
