package contend.agent;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Prints whether two methods take locks: one that does, and one that releases what it did not take. */
public final class Takes {
  static void takes(ReentrantReadWriteLock lock) {
    lock.writeLock().lock();
  }

  static void releases(ReentrantReadWriteLock lock) {
    lock.writeLock().unlock();
  }

  public static void main(String[] args) {
    System.out.println(took("takes") + " " + took("releases"));
  }

  private static boolean took(String method) {
    Code code = new Code();
    code.begin();
    return code.took(new StackTraceElement[] {new StackTraceElement("contend.agent.Takes", method, "", 1)}) == 0;
  }
}
