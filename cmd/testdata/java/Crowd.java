/** A hundred threads go through four monitors as fast as they can: more than are stopped for where they have not moved. */
public class Crowd {
  static final Object[] gates = {new Object(), new Object(), new Object(), new Object()};

  static void pass(int i) { synchronized (gates[i % 4]) { Thread.yield(); } }

  public static void main(String[] args) {
    for (int i = 0; i < 100; i++) { int first = i; Busy.forever(() -> { for (int n = first; n < first + 1000; n++) pass(n / 7); }); }
    System.out.println("ready");
  }
}
