// Two virtual threads that wait for each other's monitor for ever. Of this nothing is
// recorded but their starts, if the settings ask for them. Recorded with
//
//	java -XX:StartFlightRecording=settings=contend.jfc VirtualDeadlock 3000
//
// and, once the carriers are gone, with jcmd and no event but those of waits.
public class VirtualDeadlock {
    static final Object A = new Object(), B = new Object();

    static Runnable both(Object first, Object second) {
        return () -> {
            synchronized (first) {
                try {
                    Thread.sleep(50);
                } catch (InterruptedException e) {
                    return;
                }
                synchronized (second) {
                    System.out.println("not reached");
                }
            }
        };
    }

    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().name("v-one").start(both(A, B));
        Thread.ofVirtual().name("v-two").start(both(B, A));
        Thread.sleep(Long.parseLong(args[0]));
        System.exit(0);
    }
}
