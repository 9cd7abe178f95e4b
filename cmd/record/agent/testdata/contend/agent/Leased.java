package contend.agent;

import java.io.File;

/** Prints whether a recording with a sample in a hundred seconds ends soon after its lease is gone. */
public final class Leased {
  private static volatile boolean done;

  public static void main(String[] args) throws Exception {
    File lease = File.createTempFile("contend", ".lease"), trace = File.createTempFile("contend", ".bin");
    Recorder.start("rate=0.01,file=" + trace + ",lease=" + lease, () -> done = true);
    Thread.sleep(300);
    boolean early = done;
    lease.delete();
    for (int i = 0; i < 500 && !done; i++) {
      Thread.sleep(20);
    }
    System.out.println(!early && done);
    trace.delete();
    Runtime.getRuntime().halt(0);
  }
}
