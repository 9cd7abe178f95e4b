package shapes;

import contend.agent.asm.ClassReader;
import contend.agent.asm.ClassWriter;
import contend.agent.asm.Opcodes;
import contend.agent.asm.tree.AbstractInsnNode;
import contend.agent.asm.tree.ClassNode;
import contend.agent.asm.tree.InsnNode;
import contend.agent.asm.tree.LabelNode;
import contend.agent.asm.tree.MethodNode;
import contend.agent.asm.tree.TryCatchBlockNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Locks as the compilers of Scala and Clojure take them: no try covers the releases; and for Clojure some instructions
 * are between the acquisition and its try.
 */
public final class Foreign implements Runnable {
  private static final Object monitor = new Foreign();

  @Override
  public void run() {
    Shapes.nap();
    for (int i = 0; i < 50; i++) {
      enter(i);
    }
    synchronized (monitor) {
      Shapes.nap();
    }
  }

  private static int enter(int i) {
    synchronized (monitor) {
      return Shapes.work(i & 1);
    }
  }

  static byte[] rewritten(byte[] code, boolean clojure) {
    ClassNode of = new ClassNode();
    new ClassReader(code).accept(of, 0);
    for (MethodNode m : of.methods) {
      m.tryCatchBlocks.removeIf(t -> t.start == t.handler);
      for (AbstractInsnNode i : m.instructions.toArray()) {
        if (clojure && i.getOpcode() == Opcodes.MONITORENTER) {
          m.instructions.insert(i, new InsnNode(Opcodes.POP));
          m.instructions.insert(i, new InsnNode(Opcodes.ACONST_NULL));
          m.maxStack++;
        }
        for (TryCatchBlockNode t : m.tryCatchBlocks) {
          if (i.getOpcode() == Opcodes.MONITOREXIT && next(i, t.end)) {
            m.instructions.insertBefore(i.getPrevious(), t.end = new LabelNode());
          }
        }
      }
    }
    ClassWriter out = new ClassWriter(0);
    of.accept(out);
    return out.toByteArray();
  }

  /** The class file of a class. */
  static byte[] code(Class<?> of) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = of.getResourceAsStream(of.getSimpleName() + ".class")) {
      for (int b; (b = in.read()) >= 0; ) {
        out.write(b);
      }
    }
    return out.toByteArray();
  }

  /** Whether a label follows an instruction, or the return behind it. */
  private static boolean next(AbstractInsnNode i, LabelNode label) {
    for (AbstractInsnNode n = i.getNext(); n != null; n = n.getNext()) {
      if (n == label) {
        return true;
      }
      if (n.getOpcode() >= 0 && n.getOpcode() != Opcodes.IRETURN && n.getOpcode() != Opcodes.GOTO) {
        return false;
      }
    }
    return false;
  }

  /** One of each shape. */
  static Runnable[] made() throws Exception {
    return new Runnable[] {new Loader(false).made(), new Loader(true).made()};
  }

  private static final class Loader extends ClassLoader {
    private final boolean clojure;

    Loader(boolean clojure) {
      super(Foreign.class.getClassLoader());
      this.clojure = clojure;
    }

    Runnable made() throws Exception {
      byte[] code = rewritten(code(Foreign.class), clojure);
      return (Runnable) defineClass("shapes.Foreign", code, 0, code.length).getDeclaredConstructor().newInstance();
    }
  }
}
