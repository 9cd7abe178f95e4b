package contend.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What rewritten classes call, {@link contend.agent.probes.Probe} and what is beside it, as this JVM has it: in its boot
 * loader and in java.lang, where code of all loaders finds it. To add a jar to the boot class path instead would have the
 * JVM print a warning. Each version of the probes is defined once, and stays.
 */
final class Probes {
  static final String NAME = "java.lang.Contend$";
  private static final String SOURCE = "contend/agent/probes/Probe"; // as long as that, with what follows
  private static final String[] PARTS = {"", "Cell", "Entry", "Holds", "Slot", "Type"};

  final String internal; // the name of the class that is called
  private final Map<String, Method> methods = new HashMap<>();

  Probes(Instrumentation jvm) throws Exception {
    byte[][] parts = new byte[PARTS.length][];
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < PARTS.length; i++) {
      parts[i] = code(PARTS[i]);
      sum.update(parts[i]);
    }
    byte[] h = sum.digest();
    internal = NAME.replace('.', '/') + String.format("%02x%02x%02x%02x", h[0], h[1], h[2], h[3]);
    if (!isDefined("")) {
      define(jvm, parts);
    }
    for (String part : PARTS) { // now: what their initialisers call may be rewritten later, and call them before they are done
      isDefined(part);
    }
    for (Method m : Class.forName(internal.replace('/', '.'), true, null).getMethods()) {
      methods.put(m.getName(), m);
    }
  }

  private static byte[] code(String part) throws IOException {
    try (InputStream in = Probes.class.getResourceAsStream("/" + SOURCE + part + ".class")) {
      return Scan.read(in);
    }
  }

  private boolean isDefined(String part) {
    try {
      Class.forName(internal.replace('/', '.') + part, true, null);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Defines the probes by the JVM's own Unsafe, which no module exports. */
  private void define(Instrumentation jvm, byte[][] parts) throws Exception {
    Class<?> unsafe;
    Object one;
    try {
      unsafe = Class.forName("jdk.internal.misc.Unsafe");
      Object base = Class.class.getMethod("getModule").invoke(Object.class), own = Class.class.getMethod("getModule").invoke(Probes.class);
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
    Method define = unsafe.getMethod("defineClass", String.class, byte[].class, int.class, int.class, ClassLoader.class, ProtectionDomain.class);
    for (int i = parts.length - 1; i >= 0; i--) {
      byte[] code = replace(parts[i], SOURCE.getBytes("UTF-8"), internal.getBytes("UTF-8"));
      define.invoke(one, internal + PARTS[i], code, 0, code.length, null, null);
    }
  }

  private static byte[] replace(byte[] in, byte[] from, byte[] to) {
    for (int i = 0; i + from.length <= in.length; i++) {
      if (Arrays.equals(Arrays.copyOfRange(in, i, i + from.length), from)) {
        System.arraycopy(to, 0, in, i, to.length);
      }
    }
    return in;
  }

  /** Calls a method that is for the agent: there is one of that name. */
  Object call(String method, Object... args) {
    try {
      return methods.get(method).invoke(null, args);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
