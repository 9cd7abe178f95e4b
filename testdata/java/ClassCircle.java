// Two classes need each other while they are initialised, and a third takes longer than the
// program runs: their waits never end, so that only the thread dumps of a flight recording
// have them. ../class-circle-jdk17.jfr.gz is of it, with the settings of
// `contend jfc --dump-period 500ms`.
public class ClassCircle {
    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Orders {
        static int next;

        static {
            ClassCircle.sleep(300);
            next = Prices.next + 1;
        }
    }

    static class Prices {
        static int next;

        static {
            ClassCircle.sleep(300);
            next = Orders.next + 1;
        }
    }

    static class Slow {
        static int next;

        static {
            ClassCircle.sleep(60_000);
            next = 1;
        }
    }

    static int order() {
        return Orders.next;
    }

    static int price() {
        return Prices.next;
    }

    static int slow() {
        return Slow.next;
    }

    public static void main(String[] args) {
        new Thread(ClassCircle::order, "orders").start();
        new Thread(ClassCircle::price, "prices").start();
        sleep(600);
        for (int i = 0; i < 2; i++) {
            new Thread(ClassCircle::order, "http-" + i).start();
        }
        for (int i = 0; i < 3; i++) {
            new Thread(ClassCircle::slow, "slow-" + i).start();
        }
        sleep(4000);
        System.exit(0);
    }
}
