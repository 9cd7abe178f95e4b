import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that live for milliseconds contend for locks of classes that are soon unloaded, until a file exists. */
public class Turnover {
    public static class Shared implements Runnable {
        static int turns;
        static final ReentrantLock lock = new ReentrantLock();

        static synchronized void enter() { turns++; deeper(40); }

        static void deeper(int n) {
            if (n > 0) { deeper(n - 1); return; }
            lock.lock();
            try { turns++; } finally { lock.unlock(); }
        }

        public void run() { for (int i = 0; i < 200; i++) enter(); }
    }

    /** Defines Shared anew: nothing keeps it when its threads have ended. */
    static class Own extends URLClassLoader {
        Own(URL[] from) { super(from, null); }
    }

    public static void main(String[] args) throws Exception {
        File end = new File(args[0]);
        URL[] from = {Turnover.class.getProtectionDomain().getCodeSource().getLocation()};
        System.out.println("runs");
        for (int round = 0; !end.exists(); round++) {
            Runnable shared = (Runnable) new Own(from).loadClass("Turnover$Shared").getDeclaredConstructor().newInstance();
            Thread[] all = new Thread[8];
            for (int i = 0; i < all.length; i++) (all[i] = new Thread(shared, "turn-" + round + "-" + i)).start();
            for (Thread t : all) t.join();
            if (round % 50 == 0) System.gc();
        }
    }
}
