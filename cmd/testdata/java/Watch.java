/** Busy, which logs whether the JVM measures blocked time, whenever that changes. */
public class Watch {
  public static void main(String[] args) throws Exception {
    java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
    threads.setThreadContentionMonitoringEnabled(Boolean.getBoolean("wants"));
    Busy.main(args);
    for (Boolean last = null; ; Thread.sleep(10)) {
      boolean now = threads.isThreadContentionMonitoringEnabled();
      if (last == null || last != now) {
        try (java.io.FileWriter w = new java.io.FileWriter(System.getProperty("log"), true)) {
          w.write((last = now) + " ");
        }
      }
    }
  }
}
