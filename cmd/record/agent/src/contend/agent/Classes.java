package contend.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The classes that are rewritten, until they are taken back. */
final class Classes implements ClassFileTransformer {
  private final Instrumentation jvm;
  private final String probe; // what they call: an internal name
  private final Sites sites;
  private final boolean live; // the program ran before
  private final Set<Class<?>> again = Collections.synchronizedSet(new HashSet<Class<?>>()); // that were loaded before
  private final Set<String> fresh = Collections.synchronizedSet(new HashSet<String>()); // the others: internal names
  private final Map<String, String> left = Collections.synchronizedMap(new TreeMap<String, String>());
  private volatile Scan plan; // null while nothing is rewritten
  private boolean ended;

  Classes(Instrumentation jvm, String probe, Sites sites, boolean live) {
    this.jvm = jvm;
    this.probe = probe;
    this.sites = sites;
    this.live = live;
  }

  /** Has all classes rewritten as they are loaded, and those that are loaded by now. */
  void begin() throws InterruptedException {
    rewrite(new Scan(jvm));
  }

  /** Leaves out classes of locks that are of the JVM itself and have synchronized methods, as StringBuffer: these are not told. */
  Set<String> mayFollow(Set<String> locks) {
    Set<String> out = new HashSet<>(locks);
    for (Class<?> c : jvm.getAllLoadedClasses()) {
      if (out.contains(c.getName()) && Locks.kind(c.getName()) == Locks.NONE && Scan.isHidden(c)) {
        out.remove(c.getName());
        left.put(c.getName(), "a class of the JVM, whose own methods enter its monitors");
      }
    }
    return out;
  }

  /**
   * Has classes rewritten that may acquire locks of these classes, which those of the call before are among; and from now on
   * those that are loaded. Takes seconds. Returns how many were rewritten.
   */
  int follow(Set<String> locks) throws InterruptedException {
    return rewrite(new Scan(jvm, locks));
  }

  private int rewrite(Scan next) throws InterruptedException {
    Set<Class<?>> may = next.classes(jvm, plan);
    if (live) {
      for (Map.Entry<String, Set<String>> e : Loops.find(may).entrySet()) {
        left.put(e.getKey(), "it runs in the loop of " + e.getValue() + ", which would be slow until it returns");
      }
    }
    for (Iterator<Class<?>> at = may.iterator(); at.hasNext(); ) {
      if (left.containsKey(at.next().getName())) {
        at.remove();
      }
    }
    synchronized (this) {
      if (ended) {
        return 0;
      }
      if (plan == null) {
        jvm.addTransformer(this, true);
      }
      plan = next;
      again.addAll(may);
      retransform(may);
    }
    return may.size();
  }

  private void retransform(Set<Class<?>> of) {
    try {
      if (!of.isEmpty()) {
        jvm.retransformClasses(of.toArray(new Class<?>[0]));
      }
    } catch (Throwable together) {
      for (Class<?> c : of) {
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
    Scan now = plan;
    if (now == null || name == null || loader == Classes.class.getClassLoader() || !Scan.mayRewrite(name.replace('/', '.'))) {
      return null;
    }
    boolean known = loaded != null && again.contains(loaded);
    if (loaded != null && !known && !fresh.contains(name)) {
      return null;
    }
    try {
      byte[] out = new Rewriter(probe, sites, now, !live && !known).rewrite(code);
      if (out != null && loaded == null) {
        fresh.add(name);
      }
      return out;
    } catch (Throwable e) { // the class stays as it is
      left.put(name.replace('/', '.'), e.toString());
      return null;
    }
  }

  /** The classes that were left alone, and why. */
  Map<String, String> left() {
    synchronized (left) {
      return new TreeMap<>(left);
    }
  }

  /** Has all classes as they were; where the program ends, nothing is rewritten any more. */
  synchronized void end(boolean shutDown) {
    ended = true;
    if (plan == null) {
      return;
    }
    plan = null;
    jvm.removeTransformer(this);
    if (shutDown) {
      return;
    }
    Set<Class<?>> all = new LinkedHashSet<>(again);
    for (Class<?> c : live && !fresh.isEmpty() ? jvm.getAllLoadedClasses() : new Class<?>[0]) {
      if (fresh.contains(c.getName().replace('.', '/'))) {
        all.add(c);
      }
    }
    retransform(all);
  }
}
