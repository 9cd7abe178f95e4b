import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * Programs whose one section can be made shorter, to hold predictions against: PROGRAM MILLISECONDS SECONDS SETTINGS
 * RECORDING.
 * Each prints how many operations it did in a second, and how long the section was held on average, in ms. A
 * database's delay is a stored function, and a statement has its connection to itself.
 */
public class Worth {
  static final AtomicLong done = new AtomicLong(), held = new AtomicLong(), holds = new AtomicLong();
  static volatile boolean over;
  static long delay; // of the section that changes, microseconds
  static final class Accounts {}
  static final class Ledger {}
  static final Accounts accounts = new Accounts();
  static final Ledger ledger = new Ledger();
  static final ReentrantLock lock = new ReentrantLock();

  interface Work {
    void run() throws Exception;
  }

  static void pause(long us) throws InterruptedException {
    Thread.sleep(us / 1000, (int) (us % 1000) * 1000);
  }

  static void start(int threads, String name, Work w) {
    for (int i = 0; i < threads; i++) {
      Thread t = new Thread(() -> {
        try {
          while (!over) {
            w.run();
            done.incrementAndGet();
          }
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }, name + "-" + i);
      t.setDaemon(true);
      t.start();
    }
  }

  /** Notes how long the section that changes was held. */
  static void changed(long since) {
    held.addAndGet(System.nanoTime() - since);
    holds.incrementAndGet();
  }

  static void transfer() throws InterruptedException {
    synchronized (accounts) {
      pause(1000);
      post();
    }
  }

  static void post() throws InterruptedException {
    synchronized (ledger) {
      pause(2000);
    }
  }

  static void archive() throws InterruptedException {
    synchronized (ledger) {
      long since = System.nanoTime();
      pause(delay);
      changed(since);
    }
  }

  static void export() throws InterruptedException {
    lock.lock();
    long since = System.nanoTime();
    try {
      pause(delay);
    } finally {
      changed(since);
      lock.unlock();
    }
  }

  static void update() throws InterruptedException {
    lock.lock();
    try {
      pause(2000);
    } finally {
      lock.unlock();
    }
  }

  /** A stored function. */
  public static int slowly(int n) throws InterruptedException {
    pause(delay);
    return n;
  }

  static void query(Connection c, int account) throws SQLException {
    synchronized (c) {
      long since = System.nanoTime();
      try (PreparedStatement s = c.prepareStatement("select slowly(balance) from account where id = ?")) {
        s.setInt(1, account);
        s.executeQuery().next();
      }
      changed(since);
    }
  }

  static void change(Connection c, int account) throws SQLException {
    synchronized (c) {
      try (PreparedStatement s = c.prepareStatement("update account set balance = balance + 1 where id = ?")) {
        s.setInt(1, account);
        s.executeUpdate();
      }
    }
  }

  /** Clients of a database that share two connections. */
  static void database(String url, String function) throws Exception {
    Connection[] shared = {DriverManager.getConnection(url), DriverManager.getConnection(url)};
    try (Statement s = shared[0].createStatement()) {
      s.execute("create table account (id int primary key, balance int)");
      s.execute(function);
      for (int i = 0; i < 16; i++) {
        s.execute("insert into account values (" + i + ", 0)");
      }
    }
    for (int i = 0; i < 8; i++) {
      int client = i;
      start(1, "client-" + i, () -> {
        query(shared[client % 2], client);
        pause(4000);
        change(shared[client % 2], client + 8);
        pause(2000);
      });
    }
  }

  public static void main(String[] args) throws Exception {
    delay = Long.parseLong(args[1]) * 1000;
    switch (args[0]) {
      case "nested" -> {
        start(4, "teller", () -> {
          transfer();
          pause(3000);
        });
        start(3, "clerk", () -> {
          archive();
          pause(4000);
        });
      }
      case "reentrant" -> {
        start(3, "exporter", () -> {
          export();
          pause(5000);
        });
        start(4, "updater", () -> {
          update();
          pause(8000);
        });
      }
      case "derby" -> database("jdbc:derby:memory:worth;create=true",
          "create function slowly(n int) returns int language java parameter style java no sql external name 'Worth.slowly'");
      case "h2" -> database("jdbc:h2:mem:worth;DB_CLOSE_DELAY=-1", "create alias slowly for 'Worth.slowly'");
      default -> throw new IllegalArgumentException(args[0]);
    }
    Thread.sleep(2000); // classes are loaded, code is compiled
    Recording recording = new Recording(Configuration.create(Path.of(args[3])));
    recording.start();
    held.set(0);
    holds.set(0);
    long from = done.get(), begin = System.nanoTime();
    Thread.sleep(Long.parseLong(args[2]) * 1000);
    double rate = (done.get() - from) * 1e9 / (System.nanoTime() - begin);
    System.out.printf("%.2f %.3f%n", rate, held.get() / 1e6 / holds.get());
    recording.stop();
    recording.dump(Path.of(args[4]));
    System.exit(0);
  }
}
