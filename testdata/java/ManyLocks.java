/** As many locks as asked for, each waited for once: main holds one until another thread is blocked on it. usage: ManyLocks LOCKS */
public class ManyLocks {
    static volatile int held = -1, reached = -1;

    public static void main(String[] args) throws InterruptedException {
        Object[] locks = new Object[Integer.parseInt(args[0])];
        for (int i = 0; i < locks.length; i++) locks[i] = new Object();
        Thread other = new Thread(() -> {
            for (int i = 0; i < locks.length; i++) {
                while (held < i) Thread.yield();
                reached = i;
                synchronized (locks[i]) { }
            }
        }, "other");
        other.start();
        for (int i = 0; i < locks.length; i++) {
            synchronized (locks[i]) {
                held = i;
                while (reached < i || other.getState() != Thread.State.BLOCKED) Thread.yield();
            }
        }
        other.join();
    }
}
