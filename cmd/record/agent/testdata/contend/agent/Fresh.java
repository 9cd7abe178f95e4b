package contend.agent;

import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;

/** A thread starts after the threads were listed, and owns a lock: prints whether it is known by then, and in the trace. */
public final class Fresh {
  public static void main(String[] args) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TraceWriter out = new TraceWriter(bytes);
    Living living = new Living(ManagementFactory.getThreadMXBean(), out, new java.util.Random());
    living.refresh(System.nanoTime(), 0);
    CountDownLatch shown = new CountDownLatch(1);
    Thread fresh = new Thread(() -> {
      try {
        shown.await();
      } catch (InterruptedException e) {
        return;
      }
    }, "fresh");
    fresh.start();
    boolean before = living.get(fresh.getId()) != null, after = living.owner(fresh.getId()) != null;
    out.flush();
    shown.countDown();
    System.out.println(before + " " + after + " " + bytes.toString("ISO-8859-1").contains("fresh"));
  }
}
