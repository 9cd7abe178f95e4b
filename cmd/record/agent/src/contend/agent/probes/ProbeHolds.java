package contend.agent.probes;

/** What a thread holds: ids of cells, with sites, the last acquired at the end. Others may read it meanwhile. */
final class ProbeHolds {
  private static final int MOST = 16; // those beyond it are only counted

  private final int[] cells = new int[MOST], sites = new int[MOST];
  private int n;

  void push(int cell, int site) {
    if (n < MOST) {
      sites[n] = site;
      cells[n] = cell;
    }
    n++;
  }

  boolean remove(int cell) {
    if (n > MOST) {
      n--;
      return true;
    }
    for (int i = n - 1; i >= 0; i--) {
      if (cells[i] == cell) {
        for (int j = i; j < n - 1; j++) {
          cells[j] = cells[j + 1];
          sites[j] = sites[j + 1];
        }
        n--;
        return true;
      }
    }
    return false;
  }

  /** The site at which a cell is held; -1 if it is not. */
  int site(int cell) {
    for (int i = Math.min(n, MOST) - 1; i >= 0; i--) {
      if (cells[i] == cell) {
        return sites[i];
      }
    }
    return -1;
  }
}
