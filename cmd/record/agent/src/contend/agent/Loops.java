package contend.agent;

import contend.agent.asm.ClassReader;
import contend.agent.asm.tree.AbstractInsnNode;
import contend.agent.asm.tree.JumpInsnNode;
import contend.agent.asm.tree.MethodNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the classes that must be left alone. The JVM never compiles a frame again whose class was rewritten meanwhile,
 * until it returns: what an endless loop calls is compiled, but the loop would be ten times as slow for good.
 */
final class Loops {
  private static final int DUMPS = 20;
  private static final long BETWEEN_MILLIS = 50;
  private static final double BUSY = 0.02; // of the time that its threads run, in the loop itself: more would be felt

  private Loops() {}

  /** The methods that loop, by class, and run for long in the loop itself. */
  static Map<String, Set<String>> find(Set<Class<?>> of) throws InterruptedException {
    Map<String, int[]> seen = new HashMap<>();
    for (Stay s : stays()) {
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
      if (!busy.isEmpty() && !(busy = looping(c, busy)).isEmpty()) {
        out.put(c.getName(), busy);
      }
    }
    return out;
  }

  private static Iterable<Stay> stays() throws InterruptedException {
    Map<Thread, Stay> stays = new HashMap<>();
    for (Map.Entry<Thread, StackTraceElement[]> e : Thread.getAllStackTraces().entrySet()) {
      stays.put(e.getKey(), new Stay(e.getValue()));
    }
    for (int i = 0; i < DUMPS; i++) {
      Thread.sleep(BETWEEN_MILLIS);
      Map<Thread, StackTraceElement[]> now = Thread.getAllStackTraces();
      for (Map.Entry<Thread, Stay> e : stays.entrySet()) {
        StackTraceElement[] at = now.get(e.getKey());
        e.getValue().shown(at == null ? new StackTraceElement[0] : at, e.getKey().getState() == Thread.State.RUNNABLE);
      }
    }
    return stays.values();
  }

  /** The methods of these names that jump back. */
  private static Set<String> looping(Class<?> c, Set<String> methods) {
    Set<String> out = new TreeSet<>();
    byte[] code = Scan.bytes(c);
    if (code == null) {
      return out;
    }
    for (MethodNode m : Rewriter.read(code, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES).methods) {
      Set<AbstractInsnNode> passed = new HashSet<>();
      for (AbstractInsnNode i : m.instructions.toArray()) {
        passed.add(i);
        if (methods.contains(m.name) && i instanceof JumpInsnNode && passed.contains(((JumpInsnNode) i).label)) {
          out.add(m.name);
        }
      }
    }
    return out;
  }

  /** The frames that have stayed on the stack of a thread, from the outermost on. */
  private static final class Stay {
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
}
