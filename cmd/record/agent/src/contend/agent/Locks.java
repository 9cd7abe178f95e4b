package contend.agent;

/** Tells locks from what else a thread may be parked at. */
final class Locks {
  static final int NONE = -1;
  // The kinds, numbered as the trace format does.
  static final int MONITOR = 1;
  static final int SYNCHRONIZER = 2;
  static final int READ_WRITE = 3;
  static final int SEMAPHORE = 4;

  private static final String[] CLASSES = {
    "java.util.concurrent.locks.ReentrantLock",
    "java.util.concurrent.locks.ReentrantReadWriteLock",
    "java.util.concurrent.locks.StampedLock",
    "java.util.concurrent.Semaphore",
  };
  private static final int[] KINDS = {SYNCHRONIZER, READ_WRITE, READ_WRITE, SEMAPHORE};

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
    for (int i = 0; i < KINDS.length; i++) {
      int n = CLASSES[i].length();
      if (name.startsWith(CLASSES[i]) && (name.length() == n || name.charAt(n) == '$')) {
        return KINDS[i];
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
