package contend.agent;

import contend.agent.asm.ClassVisitor;
import contend.agent.asm.MethodVisitor;
import contend.agent.asm.Opcodes;
import java.util.HashSet;
import java.util.Set;

/** Finds the methods that jump back. */
final class Loops extends ClassVisitor {
  final Set<String> out = new HashSet<>();
  final Set<String> methods;

  Loops(Set<String> methods) {
    super(Opcodes.ASM9);
    this.methods = methods;
  }

  @Override
  public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] thrown) {
    if (methods.contains(name)) {
      return new Jumps(name, out);
    }
    return null;
  }
}
