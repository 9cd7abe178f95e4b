package shapes;

import contend.agent.asm.ClassReader;
import contend.agent.asm.ClassVisitor;
import contend.agent.asm.ClassWriter;
import contend.agent.asm.Opcodes;
import java.io.IOException;

/** Locks as a class file of JDK 1.3 takes them: it has no frames, and cannot name a class as a constant. */
public final class Old implements Runnable {
  private static final Object monitor = new Old();
  private int n;

  @Override
  public void run() {
    synchronized (monitor) {
      for (int i = 0; i < 3; i++) {
        if (n++ % 7 == 6) {
          return;
        }
      }
      Shapes.nap();
    }
    method();
    try {
      ofClass();
    } catch (IllegalStateException e) {
      // thrown out of a synchronized method
    }
  }

  synchronized void method() {
    Shapes.nap();
  }

  static synchronized void ofClass() {
    throw new IllegalStateException();
  }

  static final class Loader extends ClassLoader {
    Loader() {
      super(Old.class.getClassLoader());
    }

    /** One of such a class, which no loader has beside. */
    static Runnable made() throws Exception {
      return (Runnable) new Loader().findClass(Old.class.getName()).getDeclaredConstructor().newInstance();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] code;
      try {
        code = Foreign.code(Old.class);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
      ClassWriter out = new ClassWriter(0);
      new ClassReader(code).accept(new ClassVisitor(Opcodes.ASM9, out) {
        @Override
        public void visit(int version, int access, String self, String signature, String above, String[] interfaces) {
          super.visit(Opcodes.V1_3, access, self, null, above, interfaces);
        }
      }, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
      byte[] old = out.toByteArray();
      return defineClass(name, old, 0, old.length);
    }
  }
}
