import java.util.HashMap;
import java.util.Map;

// Eight threads need a class whose static initialiser sleeps for a second: those that come
// late wait for it in the JVM, which a flight recording has among the calls of Object.wait.
// ../class-init-jdk25.jfr.gz is of it, recorded with the JDK's profile settings.
public class SlowClass {
    static class Registry {
        static final Map<String, String> ALL = load();

        static Map<String, String> load() {
            SlowClass.sleep(1000);
            return new HashMap<>();
        }
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void request() {
        Registry.ALL.get("x");
        sleep(50);
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[8];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(SlowClass::request, "http-" + i);
            all[i].start();
            sleep(20);
        }
        for (Thread t : all) {
            t.join();
        }
    }
}
