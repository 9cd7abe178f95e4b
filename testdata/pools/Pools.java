import com.zaxxer.hikari.util.ConcurrentBag;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import jdk.jfr.*;

/**
 * Pools OUT.jfr OUT.json MILLIS [profile]: threads that wait for what others must give back, threads with nothing to do,
 * and one monitor. Each logs how long it was alive, waited and was idle while it was recorded.
 */
public class Pools {
    static final ConcurrentMap<String, LongAdder> log = new ConcurrentHashMap<>();
    static volatile long end;

    interface Op<T> { T run() throws Exception; }

    /** Runs what blocks, and logs under a name how long it took. */
    static <T> T timed(String what, Op<T> op) throws Exception {
        long t = System.nanoTime();
        try { return op.run(); } finally { add(what, System.nanoTime() - t); }
    }
    static void add(String what, long ns) { log.computeIfAbsent(what, k -> new LongAdder()).add(ns); }

    /** Two objects that sixteen threads want: kept in a queue of the library. */
    static class Pool {
        final BlockingQueue<String> free = new ArrayBlockingQueue<>(2);
        Pool() { free.add("a"); free.add("b"); }
        String borrow() throws Exception { return timed("pool", free::take); }
        void giveBack(String s) throws Exception { free.put(s); }
    }
    static final Pool pool = new Pool();
    static final ConcurrentBag<String> bag = new ConcurrentBag<>();
    static final BlockingQueue<Integer> mail = new ArrayBlockingQueue<>(1);
    static int total;

    static void spin(long micros) {
        long until = System.nanoTime() + micros * 1000;
        while (System.nanoTime() < until) Thread.onSpinWait();
    }
    static void nap(long ms) throws Exception { timed("idle", () -> { Thread.sleep(ms); return null; }); }

    static void checkout() throws Exception {
        String c = pool.borrow();
        try { nap(4); spin(200); } finally { pool.giveBack(c); }
    }
    static void query() throws Exception {
        String c = timed("hikari", () -> bag.borrow(1, TimeUnit.SECONDS));
        try { nap(3); } finally { bag.requite(c); }
    }
    static void produce(int i) throws Exception { timed("put", () -> { mail.put(i); return null; }); }
    static void consume() throws Exception {
        timed("take", mail::take); // the loop of a thread of its own
        nap(2);
    }

    static class Audit {
        static void append(long ms) throws Exception {
            long t = System.nanoTime();
            synchronized (Audit.class) {
                add("lock", System.nanoTime() - t);
                if (ms > 0) nap(ms); else spin(300);
                total++;
            }
        }
    }

    /** An executor that logs how long its tasks take: that is all the time its threads run. */
    static ThreadPoolExecutor executor(String name, int n) {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(n, n, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(), r -> new Thread(r, name + "-" + number.incrementAndGet())) {
            final ThreadLocal<Long> began = new ThreadLocal<>();
            protected void beforeExecute(Thread t, Runnable r) { began.set(System.nanoTime()); }
            protected void afterExecute(Runnable r, Throwable t) { add("alive", System.nanoTime() - began.get()); }
        };
    }
    interface Body { void run() throws Exception; }
    static void loop(Executor e, int n, Body b) {
        for (int i = 0; i < n; i++) e.execute(() -> {
            try { while (System.nanoTime() < end) b.run(); } catch (Exception x) { throw new RuntimeException(x); }
        });
    }

    public static void main(String[] a) throws Exception {
        long ms = Long.parseLong(a[2]);
        bag.requite("c"); bag.requite("d");
        try (Recording r = a.length > 3 ? new Recording(Configuration.getConfiguration(a[3])) : new Recording()) {
            if (a.length <= 3)
                for (String e : List.of("JavaMonitorEnter", "JavaMonitorWait", "ThreadPark", "ThreadSleep")) r.enable("jdk." + e).withThreshold(java.time.Duration.ZERO).withStackTrace();
            if (a.length <= 3)
                for (String e : List.of("ThreadStart", "ThreadEnd", "ActiveSetting")) r.enable("jdk." + e);
            r.start();
            long began = System.nanoTime();
            end = began + ms * 1_000_000;
            ThreadPoolExecutor http = executor("http", 16), db = executor("db", 6), spare = executor("spare", 8);
            for (int i = 0; i < 8; i++) spare.execute(() -> { try { Audit.append(5); } catch (Exception x) { throw new RuntimeException(x); } });
            loop(http, 16, Pools::checkout);
            loop(db, 6, Pools::query);
            List<Thread> own = new ArrayList<>();
            for (Body b : List.<Body>of(() -> produce(1), () -> produce(2), Pools::consume, () -> Audit.append(3), () -> Audit.append(2))) {
                Thread t = new Thread(() -> {
                    long from = System.nanoTime();
                    try { while (System.nanoTime() < end) b.run(); } catch (Exception x) { } finally { add("alive", System.nanoTime() - from); }
                }, "own-" + own.size());
                own.add(t);
                t.start();
            }
            Future<String> answer = spare.submit(() -> { nap(50); return "x"; });
            timed("future", answer::get);
            while (System.nanoTime() < end) nap(10);
            for (Thread t : own) { t.interrupt(); timed("idle", () -> { t.join(); return null; }); }
            while (http.getActiveCount() + db.getActiveCount() > 0) nap(1);
            add("alive", System.nanoTime() - began);
            r.stop();
            r.dump(Path.of(a[0]));
        }
        Map<String, Long> out = new TreeMap<>();
        log.forEach((k, v) -> out.put(k, v.sum()));
        StringBuilder s = new StringBuilder("{");
        out.forEach((k, v) -> s.append(s.length() > 1 ? ", " : "").append('"').append(k).append("\": ").append(v));
        Files.writeString(Path.of(a[1]), s.append("}\n").toString());
        System.exit(0);
    }
}
