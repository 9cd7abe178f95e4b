/** Busy, and four virtual threads that take turns at a monitor. */
public class Light {
  public static void main(String[] args) throws Exception {
    for (int i = 0; i < 4; i++) {
      Thread.ofVirtual().start(() -> {
        while (true) {
          synchronized (Light.class) {
            try { Thread.sleep(2); } catch (InterruptedException e) { return; }
          }
        }
      });
    }
    System.out.println("ready");
    Busy.main(args);
  }
}
