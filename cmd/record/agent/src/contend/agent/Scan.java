package contend.agent;

import contend.agent.asm.ClassReader;
import contend.agent.asm.Opcodes;
import contend.agent.asm.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Which classes may acquire some locks, and which of them must be left alone. */
final class Scan implements Rewriter.Plan {
  // Of the JDK: what the probes and the JVM itself are made of.
  private static final String[] NEVER = {
    "java.lang.", "java.util.concurrent.locks.", "java.util.concurrent.atomic.", "jdk.internal.", "jdk.jfr.", "sun.", "contend.agent.",
  };

  private final Set<String> types = new HashSet<>(); // a monitor of theirs may be wanted: internal names, with all that is above
  private final Set<String> exact = new HashSet<>(); // whose synchronized methods enter one
  private final Set<String> calls = new HashSet<>(); // these methods: name and descriptor
  private final Set<String> names = new HashSet<>();
  private final boolean all;
  private boolean library;

  /** All locks, from the start of a program. Methods of the classes that are loaded stay synchronized: calls of them are told. */
  Scan(Instrumentation jvm) {
    all = library = true;
    for (Class<?> c : jvm.getAllLoadedClasses()) {
      if (mayRewrite(c.getName()) && !c.isArray()) {
        synchronizedOf(c, internal(c) + ".");
      }
    }
  }

  /** wanted: classes of locks, as the JVM names them. */
  Scan(Instrumentation jvm, Set<String> wanted) {
    all = false;
    types.add("java/lang/Object");
    for (Class<?> c : jvm.getAllLoadedClasses()) {
      if (wanted.contains(c.getName())) {
        add(c);
      }
    }
    for (String name : wanted) {
      library |= Locks.kind(name) != Locks.NONE;
    }
  }

  private void add(Class<?> lock) {
    above(lock);
    for (Class<?> c = lock; c != null && c != Object.class; c = c.getSuperclass()) {
      exact.add(internal(c));
      synchronizedOf(c, "");
    }
  }

  private void synchronizedOf(Class<?> c, String prefix) {
    try {
      for (Method m : c.getDeclaredMethods()) {
        if (Modifier.isSynchronized(m.getModifiers())) {
          exact.add(internal(c));
          names.add(m.getName());
          calls.add(prefix + m.getName() + Type.getMethodDescriptor(m));
        }
      }
    } catch (LinkageError e) {
      // a class that it names is missing: its methods are not told before they are entered
    }
  }

  private void above(Class<?> c) {
    for (; c != null; c = c.getSuperclass()) {
      types.add(internal(c));
      for (Class<?> i : c.getInterfaces()) {
        above(i);
      }
    }
  }

  private static String internal(Class<?> c) {
    return c.getName().replace('.', '/');
  }

  @Override
  public boolean enters(String type) {
    return all || type == null || types.contains(type);
  }

  @Override
  public boolean library() {
    return library;
  }

  @Override
  public boolean calls(String owner, String method) {
    return all ? calls.contains(owner + "." + method) : calls.contains(method) && types.contains(owner);
  }

  @Override
  public boolean synchronizes(String type) {
    return all || exact.contains(type);
  }

  /** Whether a class may be rewritten, by its name. */
  static boolean mayRewrite(String name) {
    for (String prefix : NEVER) {
      if (name.startsWith(prefix)) {
        return false;
      }
    }
    return name.indexOf('/') < 0 && !name.contains("$$Lambda"); // hidden classes cannot
  }

  /** The loaded classes that may acquire one of the locks. */
  Set<Class<?>> classes(Instrumentation jvm) {
    Set<Class<?>> out = new LinkedHashSet<>();
    for (Class<?> c : jvm.getAllLoadedClasses()) {
      if (!c.isArray() && !c.isPrimitive() && mayRewrite(c.getName()) && jvm.isModifiableClass(c)) {
        byte[] code = bytes(c);
        if (code != null && may(code)) {
          out.add(c);
        }
      }
    }
    return out;
  }

  private static byte[] bytes(Class<?> c) {
    String name = internal(c) + ".class";
    ClassLoader l = c.getClassLoader();
    try (InputStream in = l == null ? ClassLoader.getSystemResourceAsStream(name) : l.getResourceAsStream(name)) {
      return in == null ? null : read(in);
    } catch (IOException | RuntimeException e) {
      return null; // then it is left as it is
    }
  }

  static byte[] read(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] part = new byte[1 << 13];
    for (int n; (n = in.read(part)) > 0; ) {
      out.write(part, 0, n);
    }
    return out.toByteArray();
  }

  private boolean may(byte[] code) {
    try {
      ClassReader r = Rewriter.reader(code);
      return mentions(r) || uses(code, r) || exact.contains(r.getClassName());
    } catch (RuntimeException e) {
      return false; // no class file that is known here
    }
  }

  /** Whether it calls methods of the locks, as far as the constants tell: references to methods have tags 10 and 11. */
  private boolean mentions(ClassReader r) {
    char[] room = new char[r.getMaxStringLength()];
    for (int i = 1; i < r.getItemCount(); i++) {
      int at = r.getItem(i);
      int tag = at == 0 ? 0 : r.readByte(at - 1);
      if (tag == 10 || tag == 11) {
        int named = r.getItem(r.readUnsignedShort(at + 2));
        String name = r.readUTF8(named, room);
        if (library && Rewriter.isLibrary(name) || names.contains(name) && calls(r.readClass(at, room), name + r.readUTF8(named + 2, room))) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean uses(byte[] code, ClassReader r) {
    boolean any = false;
    for (byte b : code) {
      any |= b == (byte) Opcodes.MONITORENTER;
    }
    char[] room = new char[r.getMaxStringLength()];
    for (int i = 1; i < r.getItemCount() && !any; i++) {
      int at = r.getItem(i);
      any = at != 0 && r.readByte(at - 1) == 10 && Rewriter.MONITORS.contains(r.readUTF8(r.getItem(r.readUnsignedShort(at + 2)), room));
    }
    return any && new Rewriter("", new Sites(), this, false).usesAny(code);
  }

  // ---- what is left alone

  private static final int DUMPS = 20; // that look for loops
  private static final double BUSY = 0.02; // of the time that its threads run, in the loop itself: more would be felt

  /**
   * The methods that loop, by class, and run for long in the loop itself. The JVM never compiles a frame again whose
   * class was rewritten meanwhile, until it returns: what an endless loop calls is compiled, but the loop
   * would be ten times as slow for good.
   */
  static Map<String, Set<String>> loops(Set<Class<?>> of, long millis) throws InterruptedException {
    Map<Thread, Stay> stays = new HashMap<>();
    for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
      stays.put(e.getKey(), new Stay(e.getValue()));
    }
    for (int i = 0; i < DUMPS; i++) {
      Thread.sleep(millis / DUMPS);
      Map<Thread, StackTraceElement[]> now = Thread.getAllStackTraces();
      for (Map.Entry<Thread, Stay> e : stays.entrySet()) {
        StackTraceElement[] at = now.get(e.getKey());
        e.getValue().shown(at == null ? new StackTraceElement[0] : at, e.getKey().getState() == Thread.State.RUNNABLE);
      }
    }
    Map<String, int[]> seen = new HashMap<>();
    for (Stay s : stays.values()) {
      s.count(seen);
    }
    Map<String, Set<String>> out = new HashMap<>();
    for (Class<?> c : of) {
      Set<String> busy = new HashSet<>();
      for (Map.Entry<String, int[]> e : seen.entrySet()) {
        int n = e.getValue()[0], inner = e.getValue()[1];
        if (e.getKey().startsWith(c.getName() + "#") && inner > 1 && inner > BUSY * n) {
          busy.add(e.getKey().substring(c.getName().length() + 1));
        }
      }
      byte[] code = busy.isEmpty() ? null : bytes(c);
      if (code != null && !(busy = looping(code, busy)).isEmpty()) {
        out.put(c.getName(), busy);
      }
    }
    return out;
  }

  /** The frames that have stayed on the stack of a thread, from the outermost on. */
  static final class Stay {
    private StackTraceElement[] last;
    private int depth; // so many have
    private int ran; // stacks while it ran
    private final Map<Integer, Integer> innermost = new HashMap<>(); // by depth, those with no frame inside of it

    Stay(StackTraceElement[] stack) {
      last = stack;
      depth = stack.length;
    }

    void shown(StackTraceElement[] stack, boolean runs) {
      int most = Math.min(depth, Math.min(last.length, stack.length));
      for (depth = 0; depth < most; depth++) {
        StackTraceElement x = last[last.length - 1 - depth], y = stack[stack.length - 1 - depth];
        if (!x.getClassName().equals(y.getClassName()) || !x.getMethodName().equals(y.getMethodName())) {
          break;
        }
        if (x.getLineNumber() != y.getLineNumber()) {
          depth++; // what it calls from there it may have called anew
          break;
        }
      }
      last = stack;
      if (runs) {
        Integer n = innermost.get(stack.length);
        innermost.put(stack.length, n == null ? 1 : n + 1);
        ran++;
      }
    }

    /** Adds, by class and method, how often the thread ran while the frame stayed, and how often in the frame itself. */
    void count(Map<String, int[]> seen) {
      for (int d = 1; d <= depth; d++) {
        StackTraceElement f = last[last.length - d];
        String method = f.getClassName() + "#" + f.getMethodName();
        int[] n = seen.get(method);
        if (n == null) {
          seen.put(method, n = new int[2]);
        }
        n[0] += ran;
        n[1] += innermost.containsKey(d) ? innermost.get(d) : 0;
      }
    }
  }

  private static Set<String> looping(byte[] code, Set<String> methods) {
    Loops found = new Loops(methods);
    Rewriter.reader(code).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return found.out;
  }
}
