import java.io.*;
import java.net.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import javax.sql.DataSource;

/** Threads that borrow connections of a pool, and log who held how many while others waited. */
public class Borrowers {
  static final class Log { String site; long asked, got, back; }
  static final List<Log> logs = Collections.synchronizedList(new ArrayList<>());
  static DataSource pool;
  static int port;
  static volatile boolean over;
  static long sum;

  interface Use { void with(Connection c) throws Exception; }

  // A helper, as most programs have one: it is on the stack of who waits, not on that of who holds.
  static Connection open(Log l) throws SQLException {
    l.asked = System.nanoTime();
    Connection c = pool.getConnection();
    l.got = System.nanoTime();
    return c;
  }

  static Log log(String site) { Log l = new Log(); l.site = site; return l; }
  static void done(Log l) { l.back = System.nanoTime(); logs.add(l); }

  static void report() throws Exception { // holds it asleep
    Log l = log("report");
    try (Connection c = open(l)) {
      query(c, 3);
      Thread.sleep(60);
    }
    done(l);
  }

  static void remote() throws Exception { // holds it in a socket read
    Log l = log("remote");
    l.asked = System.nanoTime();
    Connection c = pool.getConnection();
    l.got = System.nanoTime();
    try {
      query(c, 1);
      try (Socket s = new Socket("127.0.0.1", port)) { s.getOutputStream().write(1); s.getInputStream().read(); }
    } finally {
      c.close();
    }
    done(l);
  }

  static void order() throws Exception { // holds it for a query
    Log l = log("order");
    Connection c = open(l);
    query(c, 40);
    c.close();
    done(l);
    Thread.sleep(5);
  }

  static void query(Connection c, int n) throws SQLException {
    for (int i = 0; i < n; i++)
      try (PreparedStatement s = c.prepareStatement("select sum(a.x * b.x) from system_range(1, 60) a, system_range(1, 50) b");
           ResultSet r = s.executeQuery()) { r.next(); sum += r.getLong(1); }
  }

  static void think() throws Exception { Thread.sleep(10); }

  static void loop(int kind) {
    try {
      while (!over) {
        switch (kind) { case 0: report(); break; case 1: remote(); break; default: order(); }
        think();
      }
    } catch (Exception e) { e.printStackTrace(); }
  }

  static DataSource make(String kind, int size) throws Exception {
    String url = "jdbc:h2:mem:t;DB_CLOSE_DELAY=-1";
    switch (kind) {
      case "hikari": {
        com.zaxxer.hikari.HikariConfig c = new com.zaxxer.hikari.HikariConfig();
        c.setJdbcUrl(url); c.setMaximumPoolSize(size); c.setConnectionTimeout(30000);
        return new com.zaxxer.hikari.HikariDataSource(c);
      }
      case "c3p0": {
        com.mchange.v2.c3p0.ComboPooledDataSource c = new com.mchange.v2.c3p0.ComboPooledDataSource();
        c.setJdbcUrl(url); c.setMaxPoolSize(size); c.setMinPoolSize(size); c.setInitialPoolSize(size);
        return c;
      }
      case "dbcp2": {
        org.apache.commons.dbcp2.BasicDataSource c = new org.apache.commons.dbcp2.BasicDataSource();
        c.setUrl(url); c.setMaxTotal(size); c.setMaxIdle(size);
        return c;
      }
      default: {
        org.apache.tomcat.dbcp.dbcp2.BasicDataSource c = new org.apache.tomcat.dbcp.dbcp2.BasicDataSource();
        c.setUrl(url); c.setMaxTotal(size); c.setMaxIdle(size);
        return c;
      }
    }
  }

  public static void main(String[] a) throws Exception {
    String kind = a[0];
    int size = Integer.parseInt(a[1]), threads = Integer.parseInt(a[2]), ms = Integer.parseInt(a[3]);
    int delay = Integer.parseInt(a[4]);
    Class.forName("org.h2.Driver");
    ServerSocket server = new ServerSocket(0);
    port = server.getLocalPort();
    Thread accept = new Thread(() -> {
      try { while (true) { Socket s = server.accept(); Thread t = new Thread(() -> {
        try { s.getInputStream().read(); Thread.sleep(delay); s.getOutputStream().write(1); s.close(); } catch (Exception e) { }
      }, "server"); t.setDaemon(true); t.start(); } } catch (Exception e) { }
    }, "accept");
    accept.setDaemon(true); accept.start();
    pool = make(kind, size);
    try (Connection c = pool.getConnection()) { query(c, 1); }
    Thread.sleep(Long.getLong("before", 0));
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) { int k = i % 3; Thread t = new Thread(() -> loop(k), "worker-" + i); all.add(t); t.start(); }
    Thread.sleep(ms); over = true;
    for (Thread t : all) t.join();
    // The union of all waits longer than 1 ms.
    List<long[]> waits = new ArrayList<>(), union = new ArrayList<>();
    for (Log l : logs) if (l.got - l.asked > 1000000) waits.add(new long[]{l.asked, l.got});
    waits.sort((x, y) -> Long.compare(x[0], y[0]));
    long waited = 0, empty = 0;
    for (long[] w : waits) { waited += w[1] - w[0];
      if (!union.isEmpty() && union.get(union.size()-1)[1] >= w[0]) union.get(union.size()-1)[1] = Math.max(union.get(union.size()-1)[1], w[1]);
      else union.add(w.clone()); }
    for (long[] u : union) empty += u[1] - u[0];
    Map<String, Long> held = new TreeMap<>();
    for (Log l : logs) for (long[] u : union) { long n = Math.min(l.back, u[1]) - Math.max(l.got, u[0]); if (n > 0) held.merge(l.site, n, Long::sum); }
    StringBuilder out = new StringBuilder("{\"pool\":\"" + kind + "\",\"size\":" + size + ",\"waitedNs\":" + waited + ",\"emptyNs\":" + empty + ",\"heldNs\":{");
    String sep = ""; for (Map.Entry<String, Long> e : held.entrySet()) { out.append(sep + "\"" + e.getKey() + "\":" + e.getValue()); sep = ","; }
    try (FileWriter w = new FileWriter(a[5])) { w.write(out + "}}\n"); }
    System.exit(0);
  }
}
