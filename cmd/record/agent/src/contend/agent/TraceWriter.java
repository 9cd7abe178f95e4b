package contend.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Writes the contend trace format, version 1, which format/README.md of the
 * project specifies. Each flush writes a block that decodes by itself, so that
 * a process that is killed leaves a readable trace.
 */
final class TraceWriter {
  static final int THREAD = 1, OBJECT = 2, STACK = 3, TICK = 7, SETTING = 9, END = 10, CONTENTION = 11, WAIT = 12, TENURE = 13, ACTIVITY = 14, BLOCKED = 17, NOTE = 18;

  private static final byte[] MAGIC = {(byte) 0x89, 0x43, 0x54, 0x44, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0};
  private static final byte[] MARKER = {(byte) 0xf0, 0x43, 0x54, 0x44, 0x62, 0x6c, 0x6b, 0x0f};
  private static final int MAX_EVENTS = 60_000, MAX_FRAMES = 200_000, MAX_RAW = 1 << 20;
  private static final int[] CASTAGNOLI = table();

  private final OutputStream out;
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private final Bytes raw = new Bytes();
  private final Bytes event = new Bytes();
  private byte[] stored = new byte[0];
  private int kind, events, frames;
  private long last, first, total;
  private boolean closed;

  TraceWriter(OutputStream out) throws IOException {
    this.out = out;
    out.write(MAGIC);
  }

  /** Begins an event; its fields follow in the order of the specification, then {@link #end}. */
  TraceWriter begin(int kind) {
    this.kind = kind;
    event.length = 0;
    return this;
  }

  TraceWriter time(long t) {
    event.signed(t - last);
    last = t;
    return this;
  }

  TraceWriter signed(long v) {
    event.signed(v);
    return this;
  }

  TraceWriter number(long v) {
    event.varint(v);
    return this;
  }

  TraceWriter text(String s) {
    byte[] b = (s == null ? "" : s).getBytes(StandardCharsets.UTF_8);
    event.varint(b.length);
    event.add(b, b.length);
    return this;
  }

  TraceWriter frame(StackTraceElement f) {
    frames++;
    int line = f.getLineNumber();
    return text(lasting(f.getClassName())).text(f.getMethodName()).text(f.getFileName()).signed(f.isNativeMethod() ? -1 : Math.max(line, 0));
  }

  /** The name of a class without what is new in each run, as hidden ones have: Shop$$Lambda$24/0x00007f1ea0004000. */
  private static String lasting(String name) {
    int lambda = name.indexOf("$$Lambda");
    if (lambda >= 0) {
      return name.substring(0, lambda + "$$Lambda".length());
    }
    int address = name.lastIndexOf("/0x");
    return address > 0 ? name.substring(0, address) : name;
  }

  void end() throws IOException {
    raw.varint(kind);
    raw.varint(event.length);
    raw.add(event.data, event.length);
    events++;
    total++;
    if (events >= MAX_EVENTS || frames >= MAX_FRAMES || raw.length >= MAX_RAW) {
      flush();
    }
  }

  /** Writes what is there as a block. */
  void flush() throws IOException {
    if (events == 0 || closed) {
      return;
    }
    int size = deflate();
    boolean smaller = size < raw.length;
    byte[] body = smaller ? stored : raw.data;
    if (!smaller) {
      size = raw.length;
    }
    Bytes head = new Bytes();
    head.fixed(size, 4);
    head.fixed(raw.length, 4);
    head.fixed(smaller ? 1 : 0, 1);
    head.fixed(events, 4);
    head.fixed(first, 8);
    head.fixed(~crc(crc(-1, head.data, head.length), body, size), 4);
    out.write(MARKER);
    out.write(head.data, 0, head.length);
    out.write(body, 0, size);
    out.flush();
    raw.length = 0;
    events = 0;
    frames = 0;
    first = last;
  }

  private int deflate() {
    if (stored.length < raw.length) {
      stored = new byte[raw.length];
    }
    deflater.reset();
    deflater.setInput(raw.data, 0, raw.length);
    deflater.finish();
    int n = 0;
    while (!deflater.finished() && n < raw.length) {
      n += deflater.deflate(stored, n, raw.length - n);
    }
    return deflater.finished() ? n : raw.length;
  }

  void setting(String name, String value) throws IOException {
    setting(name, value, 0);
  }

  void setting(String name, String value, long weight) throws IOException {
    begin(SETTING).text(name).text(value).signed(weight).end();
  }

  void note(String code, String text) throws IOException {
    begin(NOTE).text(code).text(text).signed(0).end();
  }

  /** Says in the trace why it ends early. */
  void fail(Throwable e) {
    try {
      setting("agent-failed", e.toString());
    } catch (IOException | RuntimeException again) {
      // the disk is full, say: the reader sees a trace that was cut
    }
  }

  void close() {
    if (closed) {
      return;
    }
    try {
      try {
        flush(); // the end is a block of its own, which whoever waits for it finds without decoding
        begin(END).number(total).end();
        flush();
      } finally {
        out.close();
      }
    } catch (IOException e) {
      // as in fail
    }
    closed = true;
    deflater.end();
  }

  private static int crc(int sum, byte[] data, int length) {
    for (int i = 0; i < length; i++) {
      sum = CASTAGNOLI[(sum ^ data[i]) & 0xff] ^ sum >>> 8;
    }
    return sum;
  }

  private static int[] table() {
    int[] t = new int[256];
    for (int i = 0; i < t.length; i++) {
      int c = i;
      for (int bit = 0; bit < 8; bit++) {
        c = (c & 1) != 0 ? 0x82f63b78 ^ c >>> 1 : c >>> 1;
      }
      t[i] = c;
    }
    return t;
  }

  /** An array of bytes that grows. */
  static final class Bytes {
    byte[] data = new byte[1 << 10];
    int length;

    void add(byte[] b, int n) {
      room(n);
      System.arraycopy(b, 0, data, length, n);
      length += n;
    }

    void varint(long v) {
      room(10);
      for (; (v & ~0x7fL) != 0; v >>>= 7) {
        data[length++] = (byte) (v | 0x80);
      }
      data[length++] = (byte) v;
    }

    void signed(long v) {
      varint(v << 1 ^ v >> 63);
    }

    void fixed(long v, int bytes) {
      room(bytes);
      for (int i = 0; i < bytes; i++) {
        data[length++] = (byte) (v >>> 8 * i);
      }
    }

    private void room(int n) {
      if (data.length - length < n) {
        data = Arrays.copyOf(data, Math.max(2 * data.length, length + n));
      }
    }
  }
}
