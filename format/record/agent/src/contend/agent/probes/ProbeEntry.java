package contend.agent.probes;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/** An object with its view, as long as the object lives. */
final class ProbeEntry extends WeakReference<Object> {
  final ProbeView view;
  final ProbeType type;
  final int hash;
  ProbeEntry next;

  ProbeEntry(Object o, ReferenceQueue<Object> dead, ProbeView view, ProbeType type, ProbeEntry next) {
    super(o, dead);
    this.view = view;
    this.type = type;
    this.hash = System.identityHashCode(o);
    this.next = next;
  }
}
