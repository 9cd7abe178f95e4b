package contend.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Records who holds contended locks: has the classes that acquire them rewritten, so that they call
 * {@link contend.agent.probes.Probe}, and writes what the probes log. From the start of a program all its classes are
 * rewritten as they are loaded. In one that runs, the contended locks are looked for first, and then the
 * classes are rewritten that may acquire them; at the end they are as before.
 */
final class Exact implements ClassFileTransformer, Runnable, Holds.Threads {
  private static final String SOURCE = "contend/agent/probes/Probe", NAME = "java/lang/Contend$"; // as long, with what follows
  private static final String[] PARTS = {"", "Cell", "Entry", "Holds", "Slot", "Type"};
  private static final long LOOK_NANOS = 10_000_000, SAMPLE_NANOS = 1_000_000, WRITE_NANOS = 100_000_000, TIDY_NANOS = 1_000_000_000L;
  private static final int BUSIEST = 2000; // events of a lock in PACE_NANOS: a log of more would cost too much
  private static final long PACE_NANOS = 20_000_000;
  private static final long FIND_NANOS = 50_000_000; // from one sample to the next that look for contended locks
  private static final int FIND_LONGER = 3; // times the time for it, at most
  private static final long LOOPS_MILLIS = 1000; // of dumps that show loops
  private static final int EAGER = 256; // locks of a class that are recorded before one is seen contended

  private final Instrumentation jvm;
  private final Class<?> probe;
  private final String internal; // its name
  private final Sites sites = new Sites();
  private final double find; // seconds; 0 from the start
  private final Set<Class<?>> targets = Collections.synchronizedSet(new HashSet<Class<?>>());
  private final Set<String> rewritten = Collections.synchronizedSet(new HashSet<String>()); // as they were loaded: internal names
  private final Map<String, String> left = Collections.synchronizedMap(new TreeMap<String, String>()); // classes, and why
  private final Set<String> reported = new HashSet<>(); // of those
  private final Set<String> wanted = new TreeSet<>(), refused = new TreeSet<>();
  private Scan plan;
  private TraceWriter out;
  private Holds holds;
  private long epoch;
  private Thread thread;
  private final long[] events = new long[1 << 14];
  private volatile boolean active, ends;

  /** find: for how long contended locks are looked for; 0: the program starts. */
  Exact(Instrumentation jvm, double find) throws Exception {
    this.jvm = jvm;
    this.find = find;
    probe = define(jvm);
    internal = probe.getName().replace('.', '/');
    if (find == 0) {
      plan = new Scan(jvm);
      begin(EAGER);
      install();
    }
  }

  // ---- the probes

  /**
   * Defines the probes in the boot loader, once for each version of them. In java.lang code of all loaders
   * finds them. To add a jar to the boot class path would have the JVM print a warning.
   */
  private static Class<?> define(Instrumentation jvm) throws Exception {
    byte[][] parts = new byte[PARTS.length][];
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < PARTS.length; i++) {
      try (InputStream in = Exact.class.getResourceAsStream("/" + SOURCE + PARTS[i] + ".class")) {
        parts[i] = Scan.read(in);
      }
      sum.update(parts[i]);
    }
    byte[] h = sum.digest();
    String name = NAME + String.format("%02x%02x%02x%02x", h[0], h[1], h[2], h[3]);
    try {
      return Class.forName(name.replace('/', '.'), true, null);
    } catch (ClassNotFoundException e) {
      // it is not there yet
    }
    Object[] with = definer(jvm);
    for (int i = parts.length - 1; i >= 0; i--) {
      byte[] code = replace(parts[i], SOURCE.getBytes("UTF-8"), name.getBytes("UTF-8"));
      ((Method) with[1]).invoke(with[0], name + PARTS[i], code, 0, code.length, null, null);
    }
    for (String part : PARTS) { // now: what their initialisers call may be rewritten later, and call them before they are done
      Class.forName(name.replace('/', '.') + part, true, null);
    }
    return Class.forName(name.replace('/', '.'), true, null);
  }

  private static byte[] replace(byte[] in, byte[] from, byte[] to) {
    for (int i = 0; i + from.length <= in.length; i++) {
      if (Arrays.equals(Arrays.copyOfRange(in, i, i + from.length), from)) {
        System.arraycopy(to, 0, in, i, to.length);
      }
    }
    return in;
  }

  /** The JVM's own Unsafe, and its defineClass. */
  private static Object[] definer(Instrumentation jvm) throws Exception {
    Class<?> unsafe;
    Object one;
    try {
      unsafe = Class.forName("jdk.internal.misc.Unsafe");
      Object base = Class.class.getMethod("getModule").invoke(Object.class), own = Class.class.getMethod("getModule").invoke(Exact.class);
      Map<String, Set<Object>> exports = Collections.singletonMap("jdk.internal.misc", Collections.singleton(own));
      Instrumentation.class.getMethod("redefineModule", Class.forName("java.lang.Module"), Set.class, Map.class, Map.class, Set.class, Map.class)
          .invoke(jvm, base, Collections.emptySet(), exports, Collections.emptyMap(), Collections.emptySet(), Collections.emptyMap());
      one = unsafe.getMethod("getUnsafe").invoke(null);
    } catch (ClassNotFoundException e) { // JDK 8
      unsafe = Class.forName("sun.misc.Unsafe");
      Field f = unsafe.getDeclaredField("theUnsafe");
      f.setAccessible(true);
      one = f.get(null);
    }
    return new Object[] {
      one, unsafe.getMethod("defineClass", String.class, byte[].class, int.class, int.class, ClassLoader.class, ProtectionDomain.class),
    };
  }

  private Object call(String method, Class<?>[] types, Object... args) {
    try {
      return probe.getMethod(method, types).invoke(null, args);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object call(String method) {
    return call(method, new Class<?>[0]);
  }

  @Override
  public Thread get(int number) {
    return (Thread) call("thread", new Class<?>[] {int.class}, number);
  }

  private void begin(int eager) {
    if (!(Boolean) call("begin", new Class<?>[] {Collection.class, int.class, int.class}, wanted, eager, BUSIEST)) {
      throw new IllegalStateException("another recording records the holds of locks in this JVM");
    }
    active = true;
  }

  // ---- classes

  /** Has classes rewritten from now on, and those that are loaded and may acquire the locks at once. */
  private void install() throws InterruptedException {
    Set<Class<?>> may = plan.classes(jvm);
    if (find > 0) {
      for (Map.Entry<String, Set<String>> e : Scan.loops(may, LOOPS_MILLIS).entrySet()) {
        left.put(e.getKey(), "it runs in the loop of " + new TreeSet<>(e.getValue()) + ", which would be slow until it returns");
      }
    }
    for (Class<?> c : may) {
      if (!left.containsKey(c.getName())) {
        targets.add(c);
      }
    }
    jvm.addTransformer(this, true);
    retransform();
  }

  private void retransform() {
    Set<Class<?>> all = new LinkedHashSet<>(targets);
    if (!rewritten.isEmpty() && find > 0) {
      for (Class<?> c : jvm.getAllLoadedClasses()) {
        if (rewritten.contains(c.getName().replace('.', '/'))) {
          all.add(c);
        }
      }
    }
    try {
      if (!all.isEmpty()) {
        jvm.retransformClasses(all.toArray(new Class<?>[0]));
      }
    } catch (Throwable together) {
      for (Class<?> c : all) {
        try {
          jvm.retransformClasses(c);
        } catch (Throwable e) {
          left.put(c.getName(), e.toString());
        }
      }
    }
  }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> loaded, ProtectionDomain domain, byte[] code) {
    if (!active || name == null || loader == Exact.class.getClassLoader() || !Scan.mayRewrite(name.replace('/', '.'))) {
      return null;
    }
    boolean known = loaded != null && targets.contains(loaded), again = loaded != null && rewritten.contains(name);
    if (loaded != null && !known && !again) {
      return null;
    }
    try {
      byte[] out = new Rewriter(internal, sites, plan, find == 0 && !known).rewrite(code);
      if (out != null && loaded == null) {
        rewritten.add(name);
      }
      return out;
    } catch (Throwable e) { // the class stays as it is
      left.put(name.replace('/', '.'), e.toString());
      return null;
    }
  }

  // ---- a recording

  /** Begins to write to the trace; where the program runs, that takes some seconds. */
  void begin(TraceWriter out, Names names, long epoch) throws IOException, InterruptedException {
    this.out = out;
    this.epoch = epoch;
    holds = new Holds(out, names, sites, epoch, this);
    out.setting("tenures", "contended");
    if (find > 0) {
      find();
      plan = new Scan(jvm, wanted);
      begin(0);
      if (!wanted.isEmpty()) {
        install();
      }
      for (String name : wanted) {
        out.setting("followed", name);
      }
      out.setting("rewritten", Integer.toString(targets.size()));
      reportLeft();
    }
    thread = new Thread(this, "contend-exact");
    thread.setDaemon(true);
    thread.setPriority(Thread.MAX_PRIORITY);
    thread.setContextClassLoader(null);
    thread.start();
  }

  /** Finds the classes of contended locks, by samples that are not kept. */
  private void find() throws IOException {
    Sampler s = new Sampler(new TraceWriter(new Nowhere()), true);
    long until = System.nanoTime() + (long) (find * 1e9), last = until + (long) (FIND_LONGER * find * 1e9);
    int due = (int) (find * 1e9 / FIND_NANOS); // samples: where the machine is busy they take longer
    for (long now; (now = System.nanoTime()) < until || due > 0 && now < last; due--) {
      s.sample(now);
      LockSupport.parkNanos(FIND_NANOS);
    }
    wanted.addAll(s.lockClasses());
  }

  static final class Nowhere extends OutputStream {
    @Override
    public void write(int b) {}
  }

  /** Takes in that a lock of a class was seen contended: from the start, more than some are recorded from now on. */
  void contended(String name) {
    if (find == 0 && wanted.add(name)) {
      call("want", new Class<?>[] {String.class}, name);
    }
  }

  boolean records(Contended.Lock l) {
    return holds.records(l);
  }

  /** Takes in a sample of a thread. */
  void sample(long thread, long time, StackTraceElement[] frames) {
    holds.sample(thread, time, frames);
  }

  @Override
  public void run() {
    int[] looks = new int[1 << 14];
    long written = System.nanoTime(), paced = written, tidied = written, looked = written;
    boolean sampled = false;
    try {
      while (!ends) {
        LockSupport.parkNanos(sampled ? SAMPLE_NANOS : LOOK_NANOS);
        long now = System.nanoTime();
        if (sampled) {
          look(looks, now, Math.min(now - looked, 20 * SAMPLE_NANOS));
        }
        looked = now;
        if (now - paced >= PACE_NANOS) {
          paced = now;
          synchronized (out) {
            take();
          }
          sampled = (Boolean) call("pace");
        }
        if (now - written >= WRITE_NANOS) {
          written = now;
          write(now, false);
        }
        if (now - tidied >= TIDY_NANOS) {
          tidied = now;
          call("tidy");
        }
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      out.fail(e);
    }
  }

  /** Takes in what has been logged; the trace is the caller's. */
  void take() {
    for (int n = events.length; n > events.length - 8; ) {
      n = (Integer) call("drain", new Class<?>[] {long[].class}, (Object) events);
      Object[] locks = (Object[]) call("contended");
      for (int i = 0; i < locks.length; i += 5) {
        if ((Boolean) locks[i + 4]) {
          refused.add(holds.refuse((Integer) locks[i]));
        } else {
          holds.lock((Integer) locks[i], (String) locks[i + 1], (Integer) locks[i + 2], (Integer) locks[i + 3]);
        }
      }
      for (int i = 0; i < n; i += 4) {
        holds.event(events[i], events[i + 1], events[i + 2], (int) events[i + 3]);
      }
    }
  }

  private void write(long now, boolean all) throws IOException {
    synchronized (out) {
      holds.write(now, all);
    }
  }

  private void look(int[] looks, long now, long weight) throws IOException {
    int n = (Integer) call("sample", new Class<?>[] {int[].class}, (Object) looks);
    synchronized (out) {
      for (int i = 0; i < n; i += 3 + 2 * (looks[i + 1] + looks[i + 2])) {
        holds.write(looks[i], now, weight, looks, i + 3, looks[i + 1], looks[i + 2]);
      }
    }
  }

  /** Ends the recording, and leaves the classes as they were. shutDown: the program ends. */
  void end(boolean shutDown) {
    ends = true;
    try {
      if (thread != null) {
        thread.join(5000);
        synchronized (out) {
          take();
        }
        write(System.nanoTime(), true);
        report();
      }
    } catch (IOException | InterruptedException | RuntimeException | OutOfMemoryError e) {
      out.fail(e);
    }
    if (active) {
      active = false;
      call("end");
      jvm.removeTransformer(this);
      if (!shutDown) {
        retransform();
      }
    }
  }

  /** Writes which classes were left alone since this was called before. */
  private void reportLeft() throws IOException {
    for (Map.Entry<String, String> e : new TreeMap<>(left).entrySet()) {
      if (reported.add(e.getKey())) {
        out.setting("left-alone " + e.getKey(), e.getValue());
      }
    }
  }

  private void report() throws IOException {
    reportLeft();
    for (String name : refused) {
      out.setting("not-followed", name);
    }
    long[] lost = (long[]) call("lost");
    if (lost[0] + lost[1] > 0) {
      out.note("exact-lost", lost[0] + " events of locks were lost, and " + lost[1] + " locks could not be recorded: their owners may be wrong or missing");
    }
  }
}
