// Threads that live for a few milliseconds, and others that take a new name each time.
public class Churn {
    static synchronized void hold(int millis) throws Exception {
        Thread.sleep(millis);
    }

    static void start(String name, boolean once) {
        new Thread(() -> {
            try {
                for (int i = 0; i == 0 || !once; i++) {
                    if (!once) {
                        Thread.currentThread().setName(name + " /path/" + i);
                    }
                    hold(i % 3);
                }
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        }, name).start();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            start("request-" + i, false);
        }
        for (int i = 0;; i++) {
            start("short-" + i, true);
            Thread.sleep(5);
        }
    }
}
