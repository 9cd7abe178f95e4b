import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Programs with one thing wrong each, for the findings: CASE MILLISECONDS. The recordings beside are of JDK 17, with the
 * settings 'contend jfc --dump-period 0', and packed with gzip:
 * convoy 200, starvation 1500, readers 400, holding 500, and with -XX:+UseSerialGC -Xmx256m paused 1500; of JDK 17 and
 * 25 storm, one and meet 300, which print how many were woken, and how many of these in vain. Dumps are
 * what they print on SIGQUIT: deadlock one, pipe 2, orders 8, half a second apart.
 */
public class Cases {
  static volatile boolean over;
  static volatile Object sink;
  static final class Accounts {}
  static final class Ledger {}
  static final Accounts accounts = new Accounts();
  static final Ledger ledger = new Ledger();
  static final class Journal {}
  static final class Link {}
  static final Journal journal = new Journal();
  static final Link link = new Link();
  static RandomAccessFile file;
  static Socket socket;
  static Pipe pipe;
  static final ReentrantLock fair = new ReentrantLock(true);
  static final List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());

  interface Work {
    void run() throws InterruptedException, IOException;
  }

  static void start(int threads, String name, Work w) {
    for (int i = 0; i < threads; i++) {
      Thread t = new Thread(() -> {
        try {
          while (!over) {
            w.run();
          }
        } catch (InterruptedException | IOException e) {
          throw new IllegalStateException(e);
        }
      }, name + "-" + i);
      t.setDaemon(true);
      t.start();
    }
  }

  /** Held for 10 us, and handed over to threads that sleep. */
  static void pass() {
    fair.lock();
    work(10_000);
    fair.unlock();
  }

  /** The monitor wakes who came last first: with four threads one is always passed by two. */
  static void transfer() throws InterruptedException {
    synchronized (accounts) {
      Thread.sleep(1);
      synchronized (ledger) {
        Thread.sleep(2);
      }
    }
  }

  static void archive() throws InterruptedException {
    synchronized (ledger) {
      Thread.sleep(3);
    }
  }

  static int find() {
    return numbers.indexOf(-1);
  }

  static void hold() throws InterruptedException {
    synchronized (ledger) {
      Thread.sleep(4);
    }
  }

  static final byte[] page = new byte[1 << 22];

  static void append() throws IOException {
    synchronized (journal) {
      file.seek(0);
      file.write(page);
      file.write(page);
    }
  }

  static void ask() throws IOException {
    synchronized (link) {
      socket.getOutputStream().write(1);
      socket.getInputStream().read();
    }
  }

  /** The other end answers after 4 ms. */
  static void answer(ServerSocket server) throws InterruptedException, IOException {
    try (Socket s = server.accept()) {
      while (s.getInputStream().read() >= 0) {
        Thread.sleep(4);
        s.getOutputStream().write(1);
      }
    }
  }

  /** A pipe is neither a file nor a socket. */
  static void receive() throws IOException {
    synchronized (link) {
      pipe.source().read(ByteBuffer.allocate(1));
    }
  }

  static void post() throws InterruptedException {
    synchronized (accounts) {
      synchronized (ledger) {
        Thread.sleep(2);
      }
    }
  }

  static void settle() throws InterruptedException {
    synchronized (ledger) {
      synchronized (accounts) {
        Thread.sleep(2);
      }
    }
  }

  static void review() throws InterruptedException {
    synchronized (accounts) {
      Thread.sleep(4);
    }
  }

  /** Does one thing for a second and another one in the next, and nothing for a moment between. */
  static void turns(Work even, Work odd) throws InterruptedException, IOException {
    long now = System.nanoTime(), second = 1_000_000_000;
    if (now % second > second - 400_000_000) {
      Thread.sleep(10);
    } else if (now / second % 2 == 0) {
      even.run();
    } else {
      odd.run();
    }
  }

  static final class Mailbox {
    int letters, turn, arrived;
    long woken, vain;
  }
  static final Mailbox mailbox = new Mailbox();

  /** A letter comes, for which one of those that wait is enough. */
  static void deliver(boolean all) {
    synchronized (mailbox) {
      mailbox.letters++;
      if (all) {
        mailbox.notifyAll();
      } else {
        mailbox.notify();
      }
    }
  }

  static void fetch() throws InterruptedException {
    synchronized (mailbox) {
      while (mailbox.letters == 0) {
        mailbox.wait();
        mailbox.woken++;
        if (mailbox.letters == 0) {
          mailbox.vain++;
        }
      }
      mailbox.letters--;
    }
  }

  /** The last of some threads to come wakes all others, each of which goes on. */
  static void meet(int threads) throws InterruptedException {
    synchronized (mailbox) {
      int turn = mailbox.turn;
      if (++mailbox.arrived == threads) {
        mailbox.arrived = 0;
        mailbox.turn++;
        mailbox.notifyAll();
      }
      while (mailbox.turn == turn) {
        mailbox.wait();
        mailbox.woken++;
        if (mailbox.turn == turn) {
          mailbox.vain++;
        }
      }
    }
  }

  static void work(long nanoseconds) {
    for (long end = System.nanoTime() + nanoseconds; System.nanoTime() < end; ) {
      Thread.onSpinWait();
    }
  }

  static void allocate() {
    List<byte[]> kept = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      kept.add(new byte[40000]);
    }
    sink = kept;
  }

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "convoy" -> {
        fair.lock();
        start(32, "driver", () -> {
          pass();
          Thread.sleep(1);
        });
        Thread.sleep(20);
        fair.unlock(); // the cause has gone
      }
      case "starvation" -> {
        start(4, "teller", () -> {
          transfer();
          Thread.sleep(3);
        });
        start(3, "clerk", () -> {
          archive();
          Thread.sleep(4);
        });
      }
      case "readers" -> {
        for (int i = 0; i < 200000; i++) {
          numbers.add(i);
        }
        start(4, "reader", () -> {
          sink = find();
          Thread.sleep(1);
        });
      }
      case "paused" -> {
        start(3, "holder", () -> {
          hold();
          Thread.sleep(4);
        });
        start(1, "allocator", Cases::allocate);
      }
      case "holding" -> {
        File temporary = new File("journal.tmp");
        temporary.deleteOnExit();
        file = new RandomAccessFile(temporary, "rw");
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        start(1, "server", () -> answer(server));
        socket = new Socket(server.getInetAddress(), server.getLocalPort());
        start(3, "clerk", Cases::hold);
        start(3, "teller", Cases::post);
        start(3, "writer", Cases::append);
        start(3, "client", Cases::ask);
      }
      case "pipe" -> {
        pipe = Pipe.open();
        start(3, "receiver", Cases::receive);
        start(1, "sender", () -> {
          Thread.sleep(20);
          pipe.sink().write(ByteBuffer.allocate(1));
        });
      }
      case "orders" -> { // both orders, but never at once
        start(3, "worker", () -> turns(Cases::post, Cases::settle));
        start(3, "other", () -> turns(Cases::hold, Cases::review));
      }
      case "storm", "one" -> {
        start(6, "reader", () -> {
          fetch();
          work(200_000);
        });
        start(2, "postman", () -> {
          deliver(args[0].equals("storm"));
          Thread.sleep(3);
        });
      }
      case "meet" -> start(6, "guest", () -> {
        meet(6);
        work(100_000);
        Thread.sleep(1);
      });
      case "deadlock" -> {
        start(1, "teller", () -> {
          synchronized (accounts) {
            Thread.sleep(100);
            settle();
          }
        });
        start(1, "clerk", () -> {
          synchronized (ledger) {
            Thread.sleep(100);
            post();
          }
        });
        start(1, "reader", () -> {
          Thread.sleep(200);
          hold();
        });
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    Thread.sleep(Long.parseLong(args[1]));
    over = true;
    if (mailbox.woken > 0) {
      System.out.println(mailbox.woken + " woken, " + mailbox.vain + " in vain");
    }
    System.exit(0);
  }
}
