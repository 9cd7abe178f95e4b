package contend.agent;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which methods take locks of java.util.concurrent, as the byte code of their classes says: of
 * an owner that never waits nothing else tells where it took its lock. Each class is read once,
 * where it is in the class path: the loaders of a program are its own code, and may hold a lock or wait.
 */
final class Code {
  private static final int MOST = 1 << 10; // classes that are remembered
  private static final int AT_ONCE = 4; // that are read for a sample
  private static final int LARGE = 1 << 20; // bytes of a class that is not read
  private static final String LOCKS = "java/util/concurrent/locks/";
  private static final String TAKING = "(?!un)\\w*[lL]ock(Interruptibly)?"; // tryReadLock

  private final ClassLoader path = path();
  private final Map<String, Set<String>> classes = new HashMap<>(); // the methods of each that take locks
  private int left;

  /** The next sample begins. */
  void begin() {
    left = AT_ONCE;
    if (classes.size() > MOST) {
      classes.clear();
    }
  }

  /** The only frame of a stack that took a lock, by number, and is not about to take or release one; -1 if there is none, or it is not known. */
  int took(StackTraceElement[] frames) {
    int took = -1;
    for (int i = 0; i < frames.length; i++) {
      if (frames[i].getClassName().startsWith("java.util.concurrent.locks.")) {
        continue;
      }
      if (methods(frames[i].getClassName()).contains(frames[i].getMethodName())) {
        if (took >= 0 || i > 0 && frames[i - 1].getClassName().startsWith("java.util.concurrent.locks.")) {
          return -1;
        }
        took = i;
      }
    }
    return took;
  }

  private Set<String> methods(String type) {
    Set<String> known = classes.get(type);
    if (known == null && left > 0) {
      left--;
      known = Collections.emptySet();
      try {
        known = read(type.replace('.', '/') + ".class");
      } catch (IOException | RuntimeException | LinkageError e) {
        // it is not told
      }
      classes.put(type, known);
    }
    return known == null ? Collections.<String>emptySet() : known;
  }

  /** The JDK's own loader of the class path; null where the program has one in its place that does not go on to that. */
  private static ClassLoader path() {
    ClassLoader of = ClassLoader.getSystemClassLoader();
    while (of != null && !of.getClass().getName().startsWith("jdk.internal.loader.") && !of.getClass().getName().startsWith("sun.misc.Launcher$")) {
      of = of.getParent();
    }
    return of;
  }

  private Set<String> read(String name) throws IOException {
    URL at = path == null ? null : path.getResource(name);
    if (at == null) {
      return Collections.emptySet();
    }
    URLConnection opened = at.openConnection();
    opened.setUseCaches(false); // so that no archive stays open
    try (InputStream in = opened.getInputStream()) {
      return taking(new DataInputStream(in));
    }
  }

  private static Set<String> taking(DataInputStream in) throws IOException {
    in.readFully(new byte[8]);
    int n = in.readUnsignedShort();
    String[] texts = new String[n];
    int[] tags = new int[n], refs = new int[n];
    for (int i = 1; i < n; i++) {
      tags[i] = in.readUnsignedByte();
      if (tags[i] == 1) {
        texts[i] = in.readUTF();
      } else if (tags[i] == 5 || tags[i] == 6) {
        in.readLong();
        i++;
      } else if (tags[i] == 7 || tags[i] == 8 || tags[i] == 16 || tags[i] == 19 || tags[i] == 20) {
        refs[i] = in.readUnsignedShort();
      } else if (tags[i] == 15) {
        in.readFully(new byte[3]);
      } else {
        refs[i] = in.readInt();
      }
    }
    boolean[] takes = new boolean[n];
    for (int i = 1; i < n; i++) {
      if (tags[i] == 10 || tags[i] == 11) { // a method of a class, or of an interface
        int named = refs[refs[i] & 0xffff];
        takes[i] = texts[refs[refs[i] >>> 16]].startsWith(LOCKS) && texts[named >>> 16].matches(TAKING)
            && !texts[named & 0xffff].endsWith(";"); // that returns one of two locks, which its caller may release
      }
    }
    in.readFully(new byte[6]);
    in.readFully(new byte[2 * in.readUnsignedShort()]);
    Set<String> out = new HashSet<>();
    members(in, texts, takes, new HashSet<String>());
    members(in, texts, takes, out);
    return out;
  }

  /** Reads the fields of a class, or its methods, and adds those whose code takes locks. */
  private static void members(DataInputStream in, String[] texts, boolean[] takes, Set<String> out) throws IOException {
    for (int m = in.readUnsignedShort(); m > 0; m--) {
      in.readUnsignedShort();
      String name = texts[in.readUnsignedShort()];
      in.readUnsignedShort();
      for (int a = in.readUnsignedShort(); a > 0; a--) {
        boolean code = texts[in.readUnsignedShort()].equals("Code");
        int size = in.readInt();
        if (size < 0 || size > LARGE) {
          throw new IOException();
        }
        byte[] body = new byte[size];
        in.readFully(body);
        if (code && calls(body, takes)) {
          out.add(name);
        }
      }
    }
  }

  /** Whether code calls one of these; what looks like a call and is none is rare. */
  private static boolean calls(byte[] code, boolean[] these) {
    for (int i = 8; i + 2 < code.length; i++) {
      int op = code[i] & 0xff, of = (code[i + 1] & 0xff) << 8 | code[i + 2] & 0xff;
      if ((op == 0xb6 || op == 0xb9) && of < these.length && these[of]) {
        return true;
      }
    }
    return false;
  }
}
