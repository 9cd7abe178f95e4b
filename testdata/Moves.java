import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Locks whose number is known, moved about by many collections. usage: Moves SECONDS GARBAGE_MB_PER_S */
public class Moves {
    static volatile boolean stop;
    static volatile Object sink;
    static void pause(double ms) { try { Thread.sleep((long) ms, (int) ((ms - (long) ms) * 1e6)); } catch (InterruptedException e) { } }

    static class One { // 1 lock
        final ReentrantLock lock = new ReentrantLock();
        void fast() { lock.lock(); try { pause(1); } finally { lock.unlock(); } }
        void slow() { lock.lock(); try { pause(4); } finally { lock.unlock(); } }
    }
    static class Rare { // 1 lock, seldom waited for
        final ReentrantLock lock = new ReentrantLock();
        void use() { lock.lock(); try { pause(60); } finally { lock.unlock(); } }
    }
    static class Table { // 1 read-write lock
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        void read() { lock.readLock().lock(); try { pause(1); } finally { lock.readLock().unlock(); } }
        void write() { lock.writeLock().lock(); try { pause(3); } finally { lock.writeLock().unlock(); } }
    }
    static class Stripes { // 16 locks
        final ReentrantLock[] locks = new ReentrantLock[16];
        { for (int i = 0; i < 16; i++) locks[i] = new ReentrantLock(); }
        void put(int key) { ReentrantLock l = locks[key & 15]; l.lock(); try { pause(2); } finally { l.unlock(); } }
    }
    static class Hot { // 16 locks, one hot
        final ReentrantLock[] locks = new ReentrantLock[16];
        { for (int i = 0; i < 16; i++) locks[i] = new ReentrantLock(); }
        void put(int key) { ReentrantLock l = locks[key % 100 < 80 ? 0 : key & 15]; l.lock(); try { pause(2); } finally { l.unlock(); } }
    }
    static class Batches { // a new lock every 150 ms
        volatile ReentrantLock lock = new ReentrantLock();
        void work() { ReentrantLock l = lock; l.lock(); try { pause(1.5); } finally { l.unlock(); } }
    }
    static class Switch { // two locks, one after the other
        final ReentrantLock first = new ReentrantLock(), second = new ReentrantLock();
        volatile ReentrantLock now = first;
        void work() { ReentrantLock l = now; l.lock(); try { pause(1.5); } finally { l.unlock(); } }
    }
    static void threads(String name, int n, Runnable r) {
        for (int i = 0; i < n; i++) { Thread t = new Thread(() -> { while (!stop) { r.run(); } }, name + "-" + i); t.setDaemon(true); t.start(); }
    }
    public static void main(String[] a) throws Exception {
        double secs = Double.parseDouble(a[0]); int mb = Integer.parseInt(a[1]);
        One one = new One(); Rare rare = new Rare(); Table table = new Table(); Stripes stripes = new Stripes(); Hot hot = new Hot(); Batches batches = new Batches(); Switch sw = new Switch();
        threads("one", 3, () -> { if (ThreadLocalRandom.current().nextInt(5) == 0) one.slow(); else one.fast(); pause(1); });
        threads("rare", 2, () -> { rare.use(); pause(150 + ThreadLocalRandom.current().nextInt(300)); });
        threads("table", 4, () -> { if (ThreadLocalRandom.current().nextInt(4) == 0) table.write(); else table.read(); pause(2); });
        threads("stripe", 8, () -> { stripes.put(ThreadLocalRandom.current().nextInt(1 << 20)); pause(1); });
        threads("hot", 5, () -> { hot.put(ThreadLocalRandom.current().nextInt(1 << 20)); pause(2); });
        threads("batch", 3, () -> { batches.work(); pause(1); });
        threads("switch", 3, () -> { sw.work(); pause(1); });
        threads("garbage", 1, () -> { List<byte[]> keep = new ArrayList<>(); for (int i = 0; i < mb * 4; i++) { sink = new byte[2500]; if (i % 20 == 0) keep.add(new byte[200]); } sink = keep; pause(10); });
        long end = System.nanoTime() + (long) (secs * 1e9), half = System.nanoTime() + (long) (secs * 0.55e9);
        while (System.nanoTime() < end) { pause(150); batches.lock = new ReentrantLock(); if (System.nanoTime() > half) sw.now = sw.second; }
        stop = true; pause(100);
        System.exit(0);
    }
}
