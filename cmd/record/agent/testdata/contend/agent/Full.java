package contend.agent;

import java.io.IOException;
import java.io.OutputStream;

/** A trace is closed while there is no room for what is left of it: prints whether its file is closed. */
public final class Full {
  private static boolean full, closed;

  public static void main(String[] args) throws Exception {
    TraceWriter out = new TraceWriter(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        if (full) {
          throw new IOException("no space left on device");
        }
      }

      @Override
      public void close() {
        closed = true;
      }
    });
    out.setting("recorder", "contend agent");
    full = true;
    out.close();
    System.out.println(closed);
  }
}
