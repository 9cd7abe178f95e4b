import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * What recording costs: threads contend for locks while windows alternate in one
 * JVM: without a recorder, with the agent alone, and with the agent beside a
 * flight recording. Prints, of both kinds against those without, medians over the
 * rounds with 95 % intervals of the median, by order statistics.
 *
 * arguments: threads, samples a second, rounds, milliseconds of a window, settings
 * of the flight recorder. The agent's jar is on the class path.
 */
public class Overhead {
  static final LongAdder operations = new LongAdder();
  static final OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  static final String[] NAMES = {"", "agent alone", "beside JFR "};

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]), rate = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]), length = Integer.parseInt(args[3]);
    settings = Configuration.create(Paths.get(args[4]));
    vmThread = task("VM Thread");
    begin(threads);
    window(Math.min(length, 5000)); // compiled by then
    with(rate, Math.min(length, 5000), true);
    double[][] cpu = new double[3][rounds], throughput = new double[3][rounds], own = new double[3][rounds];
    for (int i = 0; i < rounds; i++) {
      Window[] w = new Window[3];
      for (int k = 0; k < 3; k++) {
        int kind = (i + k) % 3; // what drifts favours none
        w[kind] = kind == 0 ? window(length) : with(rate, length, kind == 2);
      }
      for (int kind = 1; kind < 3; kind++) {
        cpu[kind][i] = 100 * (w[kind].cpu / w[kind].operations / (w[0].cpu / w[0].operations) - 1);
        throughput[kind][i] = 100 * (w[kind].operations / w[0].operations - 1);
        own[kind][i] = 100 * Math.max(w[kind].agent - w[0].agent, 0) / w[kind].cpu;
      }
    }
    for (int kind = 1; kind < 3; kind++) {
      System.out.printf("%5d threads %4d Hz %s  CPU an operation %s  throughput %s  sampler and VM thread %s of the program's CPU%n",
          threads, rate, NAMES[kind], median(cpu[kind]), median(throughput[kind]), median(own[kind]));
    }
    System.out.flush();
    Runtime.getRuntime().halt(0); // with a thousand threads an orderly end takes long
  }

  static Configuration settings;

  static final class Window {
    double operations, cpu, agent;
  }

  static Window with(int rate, int length, boolean flight) throws Exception {
    File lease = File.createTempFile("contend-", ".lease"), trace = new File(System.getProperty("traces"), flight ? "beside.bin" : "alone.bin");
    trace.delete();
    trace.createNewFile();
    Recording jfr = null;
    if (flight) {
      jfr = new Recording(settings);
      jfr.start();
    }
    contend.agent.Stub.premain("file=" + trace + ",lease=" + lease + ",rate=" + rate + ",overhead=" + (rate > 20 ? 0.05 : 0.012) + ",jar=" + System.getProperty("jar") + (flight ? ",evidence=1" : ""), null);
    Thread.sleep(100);
    sampler = task("contend-sampler");
    Window w = window(length);
    sampler = null;
    lease.delete();
    if (jfr != null) {
      jfr.close();
    }
    for (int i = 0; i < 150 && alive("contend-sampler"); i++) { // it looks for its lease once a second
      Thread.sleep(20);
    }
    return w;
  }

  /** Lets the threads work. Between windows they stand: a recorder is not to start where it gets no processor. */
  static Window window(int length) throws Exception {
    Window w = new Window();
    pause(false);
    Thread.sleep(300);
    long ops = operations.sum(), cpu = os.getProcessCpuTime(), agent = agentCpu();
    Thread.sleep(length);
    w.operations = operations.sum() - ops;
    w.cpu = os.getProcessCpuTime() - cpu;
    w.agent = agentCpu() - agent;
    pause(true);
    return w;
  }

  static final Object gate = new Object();
  static volatile boolean standing = true;

  static void pause(boolean stand) {
    synchronized (gate) {
      standing = stand;
      gate.notifyAll();
    }
  }

  static void pass() {
    synchronized (gate) {
      while (standing) {
        try {
          gate.wait();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  static String vmThread, sampler; // tasks of this process

  /** The last task of a name, null for none. Those of a thousand threads are many to read: once for each window. */
  static String task(String name) throws IOException {
    String[] all = new File("/proc/self/task").list();
    Arrays.sort(all, (a, b) -> Integer.parseInt(b) - Integer.parseInt(a)); // the last to come is the first
    for (String task : all) {
      try {
        if (new String(Files.readAllBytes(Paths.get("/proc/self/task", task, "comm"))).trim().equals(name)) {
          return task;
        }
      } catch (NoSuchFileException e) {
        continue; // it has ended
      }
    }
    return null;
  }

  static boolean alive(String name) {
    for (Thread t : threads()) {
      if (t != null && t.getName().equals(name)) {
        return true;
      }
    }
    return false;
  }

  static Thread[] threads() {
    ThreadGroup g = Thread.currentThread().getThreadGroup();
    Thread[] out = new Thread[g.activeCount() + 64];
    g.enumerate(out, true);
    return out;
  }

  /** The CPU of the agent's thread and of the JVM's, which stops the program for it, in nanoseconds, as the kernel counts it. */
  static long agentCpu() throws IOException {
    return schedstat(vmThread) + schedstat(sampler);
  }

  static long schedstat(String task) throws IOException {
    return task == null ? 0 : Long.parseLong(new String(Files.readAllBytes(Paths.get("/proc/self/task", task, "schedstat"))).trim().split(" ")[0]);
  }

  static String median(double[] of) {
    double[] s = of.clone();
    Arrays.sort(s);
    int n = s.length, rank = (int) Math.max(0, Math.floor(n / 2.0 - 0.98 * Math.sqrt(n)));
    double mid = n % 2 == 1 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
    return String.format("%+.2f %% (%+.2f to %+.2f)", mid, s[rank], s[n - 1 - rank]);
  }

  static void begin(int threads) {
    Object[] monitors = new Object[Math.max(1, threads / 8)];
    ReentrantLock[] locks = new ReentrantLock[monitors.length];
    for (int i = 0; i < monitors.length; i++) {
      monitors[i] = new Object();
      locks[i] = new ReentrantLock();
    }
    for (int i = 0; i < threads; i++) {
      final int first = i;
      Thread t = new Thread(() -> operate(first, monitors, locks), "worker-" + i);
      t.setDaemon(true);
      t.start();
    }
  }

  static void operate(int first, Object[] monitors, ReentrantLock[] locks) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int n = first; ; n++) {
      if (standing) {
        pass();
      }
      work(60_000);
      int at = random.nextInt(monitors.length);
      if (n % 2 == 0) {
        synchronized (monitors[at]) {
          work(20_000);
        }
      } else {
        locks[at].lock();
        try {
          work(20_000);
        } finally {
          locks[at].unlock();
        }
      }
      operations.increment();
      if (n % 8 == 0) {
        sleep(1 + random.nextInt(4));
      }
    }
  }

  static void sleep(int ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static volatile long sink;

  /** So many steps of a random generator, about as many nanoseconds. */
  static void work(int steps) {
    long x = sink | 1;
    for (int i = 0; i < steps / 2; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    sink = x;
  }
}
