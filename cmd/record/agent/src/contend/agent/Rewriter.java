package contend.agent;

import contend.agent.asm.ClassReader;
import contend.agent.asm.ClassWriter;
import contend.agent.asm.Opcodes;
import contend.agent.asm.Type;
import contend.agent.asm.tree.AbstractInsnNode;
import contend.agent.asm.tree.ClassNode;
import contend.agent.asm.tree.FieldInsnNode;
import contend.agent.asm.tree.FrameNode;
import contend.agent.asm.tree.InsnList;
import contend.agent.asm.tree.InsnNode;
import contend.agent.asm.tree.IntInsnNode;
import contend.agent.asm.tree.LabelNode;
import contend.agent.asm.tree.LdcInsnNode;
import contend.agent.asm.tree.LineNumberNode;
import contend.agent.asm.tree.MethodInsnNode;
import contend.agent.asm.tree.MethodNode;
import contend.agent.asm.tree.TryCatchBlockNode;
import contend.agent.asm.tree.TypeInsnNode;
import contend.agent.asm.tree.VarInsnNode;
import contend.agent.probes.Probe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Has a class tell the probes of its locks.
 *
 * Code is inserted in straight lines, without branches, so that all frames stay valid. The JVM's
 * compilers refuse methods, for good, that call in the part of a handler that covers itself, or call while
 * they hold a monitor where no handler covers the call. So an acquisition is told inside
 * the try that javac puts behind it, and a release in javac's own handler after it.
 */
final class Rewriter implements Opcodes {
  private static final String LOCKS = "java/util/concurrent/locks/", SEMAPHORE = "java/util/concurrent/Semaphore";
  private static final String OF_LOCK = "(Ljava/lang/Object;I)V";
  private static final Set<String> LIBRARY = new HashSet<>(Arrays.asList("lock()V", "unlock()V", "tryLock()Z",
      "lockInterruptibly()V", "tryLock(JLjava/util/concurrent/TimeUnit;)Z"));
  static final Set<String> MONITORS = new HashSet<>(Arrays.asList("wait", "notify", "notifyAll"));
  private static final int NEWEST = 64; // class files that ASM knows; those of later JDKs differ in nothing that matters here

  private final String probe;
  private final Sites sites;
  private final Scan plan;
  private final boolean fresh;
  private ClassNode of;
  private MethodNode method;
  private InsnList code;
  private int line;
  private int calls; // of probes, inserted

  /** probe: the probes' internal name. fresh: the class is not loaded yet, so that its methods may change their modifiers. */
  Rewriter(String probe, Sites sites, Scan plan, boolean fresh) {
    this.probe = probe;
    this.sites = sites;
    this.plan = plan;
    this.fresh = fresh;
  }

  /** Returns the new class; null where there is nothing to tell. */
  byte[] rewrite(byte[] from) {
    tell(read(from, ClassReader.EXPAND_FRAMES));
    if (calls == 0) {
      return null;
    }
    ClassWriter w = new ClassWriter(0);
    of.accept(w);
    byte[] out = w.toByteArray();
    out[7] = (byte) major(from);
    return out;
  }

  /** How many calls of probes the new class would have. */
  int calls(byte[] from) {
    tell(read(from, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES));
    return calls;
  }

  private void tell(ClassNode of) {
    this.of = of;
    for (MethodNode m : of.methods) {
      if (m.instructions.size() > 0) {
        method = m;
        code = m.instructions;
        int before = calls;
        tellAll();
        tellSynchronized();
        m.maxStack += calls > before ? 6 : 0;
      }
    }
  }

  /** Whether methods of this name may be those of a lock of java.util.concurrent. */
  static boolean isLibrary(String method) {
    return method.equals("lock") || method.equals("unlock") || method.startsWith("tryLock") || method.equals("lockInterruptibly")
        || method.endsWith("Acquire") || method.startsWith("acquire") || method.equals("release") || method.startsWith("await") || method.startsWith("signal")
        || method.endsWith("eadLock") || method.endsWith("riteLock") || method.startsWith("unlock");
  }

  private static int major(byte[] of) {
    return (of[6] & 255) << 8 | of[7] & 255;
  }

  static ClassNode read(byte[] from, int how) {
    ClassNode out = new ClassNode();
    reader(from).accept(out, how);
    return out;
  }

  static ClassReader reader(byte[] from) {
    if (major(from) > NEWEST) {
      from = from.clone();
      from[7] = NEWEST;
    }
    return new ClassReader(from);
  }

  /** Whether a call without arguments waits at its object, or notifies there. */
  private static boolean ofMonitor(MethodInsnNode c) {
    return c.desc.equals("()V") && c.getOpcode() == INVOKEVIRTUAL && MONITORS.contains(c.name);
  }

  private void tellAll() {
    boolean entered = false;
    line = 0;
    for (AbstractInsnNode i : code.toArray()) {
      if (i instanceof LineNumberNode) {
        line = ((LineNumberNode) i).line;
      } else if (i.getOpcode() == MONITORENTER && plan.enters(typeOf(i))) {
        enters(i);
        entered = true;
      } else if (i instanceof MethodInsnNode) {
        tellCall((MethodInsnNode) i);
      }
    }
    if (entered) { // of a monitor that was not told it is nothing
      Map<AbstractInsnNode, TryCatchBlockNode> own = ownHandlers();
      int depth = 0; // of tries
      Map<LabelNode, Integer> change = new HashMap<>();
      for (TryCatchBlockNode t : method.tryCatchBlocks) {
        increase(change, t.start, 1);
        increase(change, t.end, -1);
      }
      for (AbstractInsnNode i : code.toArray()) {
        depth += change.getOrDefault(i, 0);
        if (i.getOpcode() == MONITOREXIT) {
          exits(i, own.get(i), depth > 0);
        }
      }
    }
  }

  private static void increase(Map<LabelNode, Integer> sums, LabelNode at, int by) {
    sums.put(at, sums.getOrDefault(at, 0) + by);
  }

  /** The static type of the monitor that is entered, where the code just before shows it. */
  private String typeOf(AbstractInsnNode enter) {
    AbstractInsnNode i = before(enter);
    while (i != null && (i.getOpcode() == ASTORE || i.getOpcode() == DUP)) {
      i = before(i);
    }
    if (i == null) {
      return null;
    }
    switch (i.getOpcode()) {
      case ALOAD:
        return (method.access & ACC_STATIC) == 0 && ((VarInsnNode) i).var == 0 ? of.name : null;
      case GETFIELD:
      case GETSTATIC:
        return name(Type.getType(((FieldInsnNode) i).desc));
      case CHECKCAST:
        return name(Type.getObjectType(((TypeInsnNode) i).desc));
      case LDC:
        return ((LdcInsnNode) i).cst instanceof Type ? "java/lang/Class" : null;
      case INVOKEVIRTUAL:
      case INVOKESTATIC:
      case INVOKEINTERFACE:
        return name(Type.getReturnType(((MethodInsnNode) i).desc));
      default:
        return null;
    }
  }

  private static String name(Type t) {
    return t.getSort() == Type.OBJECT ? t.getInternalName() : null;
  }

  private static AbstractInsnNode before(AbstractInsnNode i) {
    do {
      i = i.getPrevious();
    } while (i != null && i.getOpcode() < 0);
    return i;
  }

  private void enters(AbstractInsnNode i) {
    int site = site(0);
    code.insertBefore(i, list(new InsnNode(DUP), new InsnNode(DUP), number(site), call("request", OF_LOCK)));
    InsnList acquired = list(number(site), call("acquired", OF_LOCK));
    AbstractInsnNode last = i;
    TryCatchBlockNode begins = null;
    boolean apart = version() < V1_6; // without frames, each label may be a target
    for (AbstractInsnNode n = i.getNext(); n != null && (n.getOpcode() < 0 || begins == null && isPlain(n)); n = n.getNext()) {
      apart |= n instanceof FrameNode || n.getOpcode() >= 0;
      begins = begins == null ? beginning(n) : begins;
      last = n;
    }
    if (!apart) {
      code.insert(last, acquired);
      return;
    }
    // What jumps to the try has acquired it before, or it begins later: the call gets a try of its own.
    if (begins != null) {
      LabelNode from = new LabelNode(), to = new LabelNode();
      acquired.insert(from);
      acquired.add(to);
      int at = method.tryCatchBlocks.indexOf(begins);
      method.tryCatchBlocks.add(at, new TryCatchBlockNode(from, to, begins.handler, begins.type));
    }
    code.insert(i, acquired);
  }

  /** What the compiler of Clojure puts between an acquisition and its try. */
  private static boolean isPlain(AbstractInsnNode n) {
    return n.getOpcode() == ACONST_NULL || n.getOpcode() == POP || n.getOpcode() == NOP;
  }

  private TryCatchBlockNode beginning(AbstractInsnNode at) {
    for (TryCatchBlockNode t : method.tryCatchBlocks) {
      if (t.start == at) {
        return t;
      }
    }
    return null;
  }

  /** own: the try whose handler covers itself and ends with this instruction; may be null. covered: by any try. */
  private void exits(AbstractInsnNode i, TryCatchBlockNode own, boolean covered) {
    InsnList released = list(number(1), call("released", OF_LOCK));
    code.insertBefore(i, new InsnNode(DUP));
    if (own != null) {
      released.insert(own.end = new LabelNode());
    }
    if (own != null || !covered) { // as compilers other than javac have it
      code.insert(i, released);
    } else {
      code.insertBefore(i, released);
    }
  }

  /** The tries whose handlers cover themselves, by the last instruction that they cover. */
  private Map<AbstractInsnNode, TryCatchBlockNode> ownHandlers() {
    Map<AbstractInsnNode, TryCatchBlockNode> out = new HashMap<>();
    for (TryCatchBlockNode t : method.tryCatchBlocks) {
      int start = code.indexOf(t.start), end = code.indexOf(t.end), handler = code.indexOf(t.handler);
      AbstractInsnNode last = before(t.end);
      if (start <= handler && handler < end && handler <= code.indexOf(last) && !out.containsKey(last)) {
        out.put(last, t);
      }
    }
    return out;
  }

  // ---- calls

  private void tellCall(MethodInsnNode c) {
    int op = c.getOpcode();
    boolean on = op == INVOKEVIRTUAL || op == INVOKEINTERFACE;
    if (on && plan.library() && ofLibrary(c)) {
      return;
    }
    if (on && c.name.equals("wait") && (c.desc.equals("()V") || c.desc.equals("(J)V") || c.desc.equals("(JI)V"))) {
      replaced(c, "waits", "java/lang/Object", 1);
    } else if (on && ofMonitor(c)) {
      notifies(c, c.name.equals("notifyAll"), 1);
    } else if (plan.calls(c.owner, c.name + c.desc) && (op != INVOKESTATIC || version() >= V1_5)) {
      code.insertBefore(c, entering(c));
    }
  }

  private boolean ofLibrary(MethodInsnNode c) {
    String what = c.name + c.desc;
    if (c.owner.equals(LOCKS + "StampedLock")) {
      return ofStamped(c, what);
    } else if (c.owner.equals(SEMAPHORE)) {
      return (c.name.endsWith("cquire") || c.name.startsWith("acquireUn") || c.name.equals("release"))
          && replaced(c, c.name, SEMAPHORE, site(Probe.LIBRARY));
    } else if (c.name.startsWith("await")) {
      return isCondition(c.owner) && replaced(c, c.name, LOCKS + "Condition", site(Probe.LIBRARY));
    } else if (c.name.startsWith("signal") && c.desc.equals("()V")) {
      return isCondition(c.owner) && notifies(c, c.name.equals("signalAll"), Probe.LIBRARY);
    } else if (!LIBRARY.contains(what)) {
      return false;
    }
    int site = site(Probe.LIBRARY);
    switch (what) {
      case "lock()V":
        code.insertBefore(c, list(new InsnNode(DUP), new InsnNode(DUP), number(site), call("request", OF_LOCK)));
        code.insert(c, list(number(site), call("acquired", OF_LOCK)));
        return true;
      case "unlock()V":
        code.insertBefore(c, list(new InsnNode(DUP), number(site), call("released", OF_LOCK)));
        return true;
      case "tryLock()Z":
        code.insertBefore(c, new InsnNode(DUP));
        code.insert(c, list(number(site), call("tried", "(Ljava/lang/Object;ZI)Z")));
        return true;
      default: // of a class of the program that is called so the lock may be none
        return c.owner.startsWith(LOCKS) && replaced(c, c.name, LOCKS + "Lock", site);
    }
  }

  private static boolean isCondition(String type) {
    return type.equals(LOCKS + "Condition") || type.endsWith("Synchronizer$ConditionObject");
  }

  private boolean notifies(MethodInsnNode c, boolean all, int flags) {
    code.insertBefore(c, list(new InsnNode(DUP), number(flags), call(all ? "notifiesAll" : "notifies", OF_LOCK)));
    return true;
  }

  private boolean ofStamped(MethodInsnNode c, String what) {
    int shared = c.name.contains("ead") ? Probe.SHARED : 0, site = site(Probe.LIBRARY | shared);
    switch (what) {
      case "readLock()J":
      case "writeLock()J":
      case "readLockInterruptibly()J":
      case "writeLockInterruptibly()J":
        code.insertBefore(c, list(new InsnNode(DUP), new InsnNode(DUP), number(site), call("request", OF_LOCK)));
        code.insert(c, list(number(site), call("stamped", "(Ljava/lang/Object;JI)J")));
        return true;
      case "tryReadLock()J":
      case "tryWriteLock()J":
        code.insertBefore(c, new InsnNode(DUP));
        code.insert(c, list(number(site), call("stamped", "(Ljava/lang/Object;JI)J")));
        return true;
      case "unlock(J)V":
      case "unlockRead(J)V":
      case "unlockWrite(J)V":
        code.insertBefore(c, list(new InsnNode(DUP2_X1), new InsnNode(POP2), new InsnNode(DUP), number(site),
            call("released", OF_LOCK), new InsnNode(DUP_X2), new InsnNode(POP)));
        return true;
      case "tryReadLock(JLjava/util/concurrent/TimeUnit;)J":
      case "tryWriteLock(JLjava/util/concurrent/TimeUnit;)J":
        return replaced(c, c.name, c.owner, site);
      default:
        return false;
    }
  }

  /** Calls a method of the probes instead, which calls it. */
  private boolean replaced(MethodInsnNode c, String name, String owner, int site) {
    int end = c.desc.indexOf(')');
    code.insertBefore(c, number(site));
    code.set(c, call(name, "(L" + owner + ";" + c.desc.substring(1, end) + "I" + c.desc.substring(end)));
    return true;
  }

  /** Tells that a monitor is requested before a call that enters it; arguments go through new variables. */
  private InsnList entering(MethodInsnNode c) {
    int site = site(0);
    if (c.getOpcode() == INVOKESTATIC) {
      return list(new LdcInsnNode(Type.getObjectType(c.owner)), number(site), call("request", OF_LOCK));
    }
    Type[] args = Type.getArgumentTypes(c.desc);
    InsnList out = new InsnList();
    InsnList back = new InsnList();
    int[] at = new int[args.length];
    for (int i = 0; i < args.length; i++) {
      at[i] = method.maxLocals;
      method.maxLocals += args[i].getSize();
      back.add(new VarInsnNode(args[i].getOpcode(ILOAD), at[i]));
    }
    for (int i = args.length - 1; i >= 0; i--) {
      out.add(new VarInsnNode(args[i].getOpcode(ISTORE), at[i]));
    }
    out.add(list(new InsnNode(DUP), number(site), call("request", OF_LOCK)));
    out.add(back);
    return out;
  }

  // ---- synchronized methods

  /**
   * Tells the hold of a synchronized method. Its request is told by who calls it; where the class is
   * not loaded yet, the method becomes one that enters the monitor itself, and tells that.
   */
  private void tellSynchronized() {
    boolean isStatic = (method.access & ACC_STATIC) != 0;
    if ((method.access & ACC_SYNCHRONIZED) == 0 || !plan.synchronizes(isStatic ? "java/lang/Class" : of.name)
        || isStatic && version() < V1_5 || !isStatic && storesThis()) {
      return;
    }
    line = firstLine();
    int site = site(0);
    int self = fresh && isStatic ? variable("java/lang/Class") : 0; // compilers ask for the monitor of one variable
    LabelNode start = new LabelNode(), end = new LabelNode(), handler = new LabelNode();
    LabelNode from = start;
    for (AbstractInsnNode i : code.toArray()) {
      if (i.getOpcode() >= IRETURN && i.getOpcode() <= RETURN) {
        code.insertBefore(i, list(self(isStatic, self), number(1), call("released", OF_LOCK)));
        if (fresh) { // the return itself is not covered
          LabelNode to = new LabelNode(), next = new LabelNode();
          code.insertBefore(i, list(self(isStatic, self), new InsnNode(MONITOREXIT), to));
          code.insert(i, next);
          method.tryCatchBlocks.add(new TryCatchBlockNode(from, to, handler, null));
          from = next;
        }
      }
    }
    InsnList begin = new InsnList();
    if (line > 0) {
      LabelNode first = new LabelNode();
      begin.add(first);
      begin.add(new LineNumberNode(line, first));
    }
    if (self > 0) {
      begin.add(list(self(true, 0), new VarInsnNode(ASTORE, self)));
    }
    if (fresh) {
      begin.add(list(self(isStatic, self), number(site), call("request", OF_LOCK), self(isStatic, self), new InsnNode(MONITORENTER)));
    }
    begin.add(list(start, self(isStatic, self), number(site), call("acquired", OF_LOCK)));
    code.insert(begin);
    code.add(end);
    code.add(handler);
    if (version() >= V1_6) {
      FrameNode frame = new FrameNode(F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
      if (!isStatic || self > 0) {
        extend(frame, self, isStatic ? "java/lang/Class" : of.name);
      }
      code.add(frame);
    }
    if (fresh) {
      code.add(list(self(isStatic, self), new InsnNode(MONITOREXIT)));
      method.access &= ~ACC_SYNCHRONIZED;
    }
    code.add(list(self(isStatic, self), number(1), call("released", OF_LOCK), new InsnNode(ATHROW)));
    if (isCode(from, end)) {
      method.tryCatchBlocks.add(new TryCatchBlockNode(from, end, handler, null));
    }
  }

  /** A new variable that has a value from the method's begin on. */
  private int variable(String type) {
    int at = Math.max(method.maxLocals, 1); // 0 is none
    method.maxLocals = at + 1;
    for (AbstractInsnNode i : code.toArray()) {
      if (i instanceof FrameNode) {
        extend((FrameNode) i, at, type);
      }
    }
    return at;
  }

  private static void extend(FrameNode f, int at, String type) {
    List<Object> locals = new ArrayList<>(f.local);
    int slots = 0;
    for (Object l : locals) {
      slots += l.equals(LONG) || l.equals(DOUBLE) ? 2 : 1;
    }
    for (; slots < at; slots++) {
      locals.add(TOP);
    }
    locals.add(type);
    f.local = locals;
  }

  private boolean storesThis() {
    for (AbstractInsnNode i : code.toArray()) {
      if (i.getOpcode() >= ISTORE && i.getOpcode() <= ASTORE && ((VarInsnNode) i).var == 0) {
        return true;
      }
    }
    return false;
  }

  private int firstLine() {
    for (AbstractInsnNode i : code.toArray()) {
      if (i instanceof LineNumberNode) {
        return ((LineNumberNode) i).line;
      }
    }
    return 0;
  }

  private int version() {
    return of.version & 0xffff; // without that of previews
  }

  private static boolean isCode(AbstractInsnNode from, LabelNode to) {
    for (AbstractInsnNode i = from; i != to; i = i.getNext()) {
      if (i.getOpcode() >= 0) {
        return true;
      }
    }
    return false;
  }

  /** The monitor of a synchronized method, where it is not 0 from a variable. */
  private AbstractInsnNode self(boolean isStatic, int variable) {
    return isStatic && variable == 0 ? new LdcInsnNode(Type.getObjectType(of.name)) : new VarInsnNode(ALOAD, variable);
  }

  // ---- instructions

  private int site(int flags) {
    return sites.number(of.name.replace('/', '.'), method.name, of.sourceFile, line) | flags;
  }

  private MethodInsnNode call(String name, String desc) {
    calls++;
    return new MethodInsnNode(INVOKESTATIC, probe, name, desc, false);
  }

  private static AbstractInsnNode number(int n) {
    return n >= Short.MIN_VALUE && n <= Short.MAX_VALUE ? new IntInsnNode(SIPUSH, n) : new LdcInsnNode(n);
  }

  private static InsnList list(AbstractInsnNode... of) {
    InsnList out = new InsnList();
    for (AbstractInsnNode i : of) {
      out.add(i);
    }
    return out;
  }
}
