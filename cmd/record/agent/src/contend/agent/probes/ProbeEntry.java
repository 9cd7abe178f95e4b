package contend.agent.probes;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** An object with its cell, as long as the object lives. */
final class ProbeEntry extends WeakReference<Object> {
  final ProbeCell cell;
  final ProbeType type;
  final int hash;
  ProbeEntry next;

  ProbeEntry(Object o, ReferenceQueue<Object> dead, ProbeCell cell, ProbeType type, ProbeEntry next) {
    super(o, dead);
    this.cell = cell;
    this.type = type;
    this.hash = System.identityHashCode(o);
    this.next = next;
  }
}
