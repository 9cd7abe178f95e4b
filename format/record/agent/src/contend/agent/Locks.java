package contend.agent;

/** Tells locks from what else a thread may be parked at. */
final class Locks {
  static final int NONE = -1;
  // The kinds, numbered as the trace format does.
  static final int MONITOR = 1;
  static final int SYNCHRONIZER = 2;
  static final int READ_WRITE = 3;
  static final int SEMAPHORE = 4;

  private static final String[][] KINDS = {
    {"java.util.concurrent.locks.ReentrantLock", "2"},
    {"java.util.concurrent.locks.ReentrantReadWriteLock", "3"},
    {"java.util.concurrent.locks.StampedLock", "3"},
    {"java.util.concurrent.Semaphore", "4"},
  };

  private static String last = ""; // name that was asked for: a class has one object for it
  private static int lastKind = NONE;

  private Locks() {}

  /** The kind of lock a class that threads park at belongs to; NONE for latches, conditions, queues and pools. */
  static int kind(String name) {
    if (name != last) {
      last = name;
      lastKind = find(name);
    }
    return lastKind;
  }

  private static int find(String name) {
    for (String[] k : KINDS) {
      if (name.startsWith(k[0]) && (name.length() == k[0].length() || name.charAt(k[0].length()) == '$')) {
        return Integer.parseInt(k[1]);
      }
    }
    return NONE;
  }

  /** Whether a thread that is parked at a lock wants to share it. */
  static boolean shares(int kind, StackTraceElement[] stack) {
    if (kind != READ_WRITE) {
      return false;
    }
    for (StackTraceElement f : stack) {
      String in = f.getClassName();
      if (!in.startsWith("java.") && !in.startsWith("jdk.") && !in.startsWith("sun.")) {
        return false;
      }
      String method = f.getMethodName();
      if (in.endsWith("ReentrantReadWriteLock$ReadLock") || method.contains("Shared") && in.contains("AbstractQueued")
          || in.startsWith("java.util.concurrent.locks.StampedLock") && method.contains("ead")) {
        return true;
      }
    }
    return false;
  }
}
