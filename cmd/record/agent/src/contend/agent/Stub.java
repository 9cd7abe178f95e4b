package contend.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a JVM loads as agent. It never changes: a JVM keeps the first class of
 * this name for good, so everything that may differ between versions is loaded
 * from the jar at hand by a loader of its own, which goes when the recording
 * ends.
 *
 * The options are key=value, separated by commas: jar, the file this recording's
 * code comes from, and those of {@link Recorder}.
 */
public final class Stub {
  private Stub() {}

  /** Called when the agent is on the command line: -javaagent:JAR=OPTIONS. */
  public static void premain(String options, Instrumentation jvm) throws Exception {
    start(options, jvm);
  }

  /** Called when the agent is loaded into a JVM that runs. */
  public static void agentmain(String options, Instrumentation jvm) throws Exception {
    start(options, jvm);
  }

  private static void start(String options, Instrumentation jvm) throws Exception {
    String text = options == null ? "" : options;
    URLClassLoader own = new URLClassLoader(new URL[] {jar(text).toURI().toURL()}, null);
    open(jvm, own);
    try {
      Class<?> recorder = own.loadClass("contend.agent.Recorder");
      try {
        recorder.getMethod("start", String.class, Instrumentation.class, AutoCloseable.class).invoke(null, text, jvm, own);
      } catch (NoSuchMethodException e) { // of an earlier version
        recorder.getMethod("start", String.class, AutoCloseable.class).invoke(null, text, own);
      }
    } catch (java.lang.reflect.InvocationTargetException e) {
      own.close();
      throw new IllegalStateException("contend: " + e.getCause(), e.getCause());
    }
  }

  // Lets the recorder's classes look into locks, to tell a thread that was signalled and waits for
  // its lock from one that awaits. By names, since the JDK may be 8, which has no modules.
  private static void open(Instrumentation jvm, ClassLoader to) {
    try {
      Object base = Class.class.getMethod("getModule").invoke(Object.class);
      Object own = ClassLoader.class.getMethod("getUnnamedModule").invoke(to);
      Class<?> module = Class.forName("java.lang.Module");
      Map<String, Set<Object>> opens = new HashMap<>();
      for (String in : new String[] {"java.util.concurrent.locks", "java.lang", "jdk.internal.vm"}) {
        opens.put(in, Collections.singleton(own));
      }
      Instrumentation.class.getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class)
          .invoke(jvm, base, Collections.emptySet(), Collections.emptyMap(),
              opens, Collections.emptySet(), Collections.emptyMap());
    } catch (ReflectiveOperationException | RuntimeException e) {
      // then it cannot tell them apart
    }
  }

  private static File jar(String options) throws Exception {
    for (String option : options.split(",")) {
      if (option.startsWith("jar=")) {
        return new File(option.substring("jar=".length()));
      }
    }
    return new File(Stub.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
