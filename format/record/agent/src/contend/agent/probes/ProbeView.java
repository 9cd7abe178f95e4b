package contend.agent.probes;

/** A lock as the program sees it: both halves of a read-write lock have one cell. */
final class ProbeView {
  final ProbeCell cell;
  final boolean library; // it is one of java.util.concurrent, and not its object's monitor
  final boolean shared;

  ProbeView(ProbeCell cell, ProbeType t, boolean shared) {
    this.cell = cell;
    this.library = t.family != ProbeType.MONITOR;
    this.shared = shared;
  }
}
