package contend.agent.probes;

/** A lock as the program sees it: both halves of a read-write lock have one cell. */
final class ProbeView {
  final ProbeCell cell;
  final boolean shared;

  ProbeView(ProbeCell cell, boolean shared) {
    this.cell = cell;
    this.shared = shared;
  }
}
