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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** Which acquisitions are to be told: of all locks, or of those of some classes. */
final class Scan {
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

  /** Whether nothing can tell of the monitors of a class: its own methods enter them, and it may not be rewritten. */
  static boolean isHidden(Class<?> c) {
    if (mayRewrite(c.getName())) {
      return false;
    }
    for (Method m : c.getDeclaredMethods()) {
      if (Modifier.isSynchronized(m.getModifiers())) {
        return true;
      }
    }
    return false;
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

  public boolean enters(String type) {
    return all || type == null || types.contains(type);
  }

  public boolean library() {
    return library;
  }

  public boolean calls(String owner, String method) {
    return all ? calls.contains(owner + "." + method) : calls.contains(method) && types.contains(owner);
  }

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

  /** The loaded classes that acquire locks which are to be told, and that another plan does not tell; it may be null. */
  Set<Class<?>> classes(Instrumentation jvm, Scan before) {
    Set<Class<?>> out = new LinkedHashSet<>();
    for (Class<?> c : jvm.getAllLoadedClasses()) {
      if (!c.isArray() && !c.isPrimitive() && mayRewrite(c.getName()) && jvm.isModifiableClass(c)) {
        byte[] code = bytes(c);
        if (code != null && calls(code) > (before == null ? 0 : before.calls(code))) {
          out.add(c);
        }
      }
    }
    return out;
  }

  /** The code of a class; null where it is not found. */
  static byte[] bytes(Class<?> c) {
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

  /** How many calls are put into a class. */
  private int calls(byte[] code) {
    try {
      return mentions(code) ? new Rewriter("", new Sites(), this, false).calls(code) : 0;
    } catch (RuntimeException e) {
      return 0; // no class file that is known here
    }
  }

  /** Whether it may acquire a lock, as far as its bytes tell, and the names of what it calls. */
  private boolean mentions(byte[] code) {
    ClassReader r = Rewriter.reader(code);
    for (byte b : code) {
      if (b == (byte) Opcodes.MONITORENTER) {
        return true;
      }
    }
    char[] room = new char[r.getMaxStringLength()];
    for (int i = 1; i < r.getItemCount(); i++) {
      int at = r.getItem(i);
      int tag = at == 0 ? 0 : r.readByte(at - 1);
      if (tag == 10 || tag == 11) { // references to methods
        String name = r.readUTF8(r.getItem(r.readUnsignedShort(at + 2)), room);
        if (library && Rewriter.isLibrary(name) || Rewriter.MONITORS.contains(name) || names.contains(name)) {
          return true;
        }
      }
    }
    return exact.contains(r.getClassName());
  }
}
