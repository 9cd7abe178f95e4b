import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the agent costs: threads contend for locks while windows with and without
 * it alternate in one JVM. Prints medians over the pairs of windows with 95 %
 * intervals of the median, by order statistics.
 *
 * arguments: threads, samples a second, pairs, milliseconds of a window. The
 * agent's jar is on the class path.
 */
public class Overhead {
  static final LongAdder operations = new LongAdder();
  static final OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]), rate = Integer.parseInt(args[1]), pairs = Integer.parseInt(args[2]), length = Integer.parseInt(args[3]);
    begin(threads);
    Thread.sleep(3 * length); // compiled by then
    double[] cpu = new double[pairs], throughput = new double[pairs], own = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      Window on, off;
      if (i % 2 == 0) { // what drifts favours neither
        on = with(rate, length);
        off = window(length);
      } else {
        off = window(length);
        on = with(rate, length);
      }
      cpu[i] = 100 * (on.cpu / on.operations / (off.cpu / off.operations) - 1);
      throughput[i] = 100 * (on.operations / off.operations - 1);
      own[i] = 100 * Math.max(on.agent - off.agent, 0) / on.cpu;
    }
    System.out.printf("%5d threads %4d Hz  CPU an operation %s  throughput %s  sampler and VM thread %s of the program's CPU%n",
        threads, rate, median(cpu), median(throughput), median(own));
    System.exit(0);
  }

  static final class Window {
    double operations, cpu, agent;
  }

  static Window with(int rate, int length) throws Exception {
    File lease = File.createTempFile("contend-", ".lease"), trace = File.createTempFile("contend-", ".bin");
    final Thread[] closed = new Thread[1];
    contend.agent.Stub.premain("file=" + trace + ",lease=" + lease + ",rate=" + rate + ",jar=" + System.getProperty("jar"), null);
    Thread.sleep(300);
    Window w = window(length);
    lease.delete();
    Thread.sleep(1500); // the agent looks for it once a second
    trace.delete();
    return w;
  }

  static Window window(int length) throws Exception {
    Window w = new Window();
    long ops = operations.sum(), cpu = os.getProcessCpuTime(), agent = agentCpu();
    Thread.sleep(length);
    w.operations = operations.sum() - ops;
    w.cpu = os.getProcessCpuTime() - cpu;
    w.agent = agentCpu() - agent;
    return w;
  }

  /** The CPU of the agent's thread and of the JVM's, which stops the program for it, in nanoseconds, as the kernel counts it. */
  static long agentCpu() throws Exception {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Paths.get("/proc/self/task"))) {
      for (Path task : tasks) {
        String name = new String(Files.readAllBytes(task.resolve("comm"))).trim();
        if (name.equals("VM Thread") || name.startsWith("contend-")) {
          sum += Long.parseLong(new String(Files.readAllBytes(task.resolve("schedstat"))).split(" ")[0]);
        }
      }
    } catch (DirectoryIteratorException | NoSuchFileException e) {
      return sum; // a thread has ended
    }
    return sum;
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
        pause(1 + random.nextInt(4));
      }
    }
  }

  static void pause(int ms) {
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
