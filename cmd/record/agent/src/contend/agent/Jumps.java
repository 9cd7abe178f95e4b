package contend.agent;

import contend.agent.asm.Label;
import contend.agent.asm.MethodVisitor;
import contend.agent.asm.Opcodes;
import java.util.HashSet;
import java.util.Set;

/** Tells whether a method jumps back. */
final class Jumps extends MethodVisitor {
  final String name;
  final Set<String> out;
  final Set<Label> passed = new HashSet<>();

  Jumps(String name, Set<String> out) {
    super(Opcodes.ASM9);
    this.name = name;
    this.out = out;
  }

  @Override
  public void visitLabel(Label l) {
    passed.add(l);
  }

  @Override
  public void visitJumpInsn(int op, Label to) {
    if (passed.contains(to)) {
      out.add(name);
    }
  }
}
