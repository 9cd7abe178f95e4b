package contend.agent;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.locks.StampedLock;

/**
 * A thread runs all the while that is recorded, beside a flight recording, with a lock that
 * another one waits for in the first 20 samples; others are in native code.
 * arguments: the trace, how many samples, 20 ms apart, and what lock.
 */
public final class Runs {
  private static final StampedLock LOCK = new StampedLock();
  private static volatile boolean has, free, turn;

  public static void main(String[] args) throws Exception {
    boolean stamped = args[2].equals("stamped");
    Sampled.start(stamped ? Runs::write : Runs::enter, "runs");
    while (!has) {
      Thread.sleep(10);
    }
    Sampled.start(stamped ? LOCK::readLock : Runs::enter, "waits");
    for (int i = 0; i < 20; i++) {
      Sampled.start(Runs::accept, "accepts");
    }
    Thread.sleep(100);
    Sampled.record(args[0], true, Integer.parseInt(args[1]), 20, taken -> free = taken >= 20);
    System.exit(0);
  }

  private static void write() {
    long stamp = LOCK.writeLock();
    has = true;
    spin();
    LOCK.unlockWrite(stamp);
    spinOn();
  }

  private static void enter() {
    synchronized (LOCK) {
      if (has) {
        return;
      }
      has = true;
      spin();
    }
    spinOn();
  }

  private static void accept() {
    try (ServerSocket s = new ServerSocket(0)) {
      s.accept();
    } catch (IOException e) {
      return;
    }
  }

  private static void spin() {
    while (!free) {
      turn = !turn;
    }
  }

  private static void spinOn() {
    while (free) {
      turn = !turn;
    }
  }
}
