package contend.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Prints the periods, in ms, that follow from what samples are said to cost, where one each 50 ms is asked for, or at last 10 ms. */
public final class Budget {
  private static final long MS = 1_000_000;

  private final Pace pace;
  private long own, stood;

  private Budget(int processors) throws IOException {
    this(processors, 20, 0.012);
  }

  private Budget(int processors, double rate, double share) throws IOException {
    pace = new Pace(new TraceWriter(new ByteArrayOutputStream()), rate, share);
    pace.begin(0, 0, 0);
    pace.ran(1000 * MS, processors * 1000 * MS);
  }

  /** The period after so many samples, each of which takes so many microseconds, and stops the program for as many. */
  private long after(int samples, long takes, long stops) throws IOException {
    for (int i = 0; i < samples; i++) {
      pace.sampled(own += takes * 1000, stood += stops * 1000);
    }
    return pace.period() / MS;
  }

  public static void main(String[] args) throws Exception {
    Budget one = new Budget(1), idle = new Budget(0), four = new Budget(4), cold = new Budget(1);
    print("cheap", one.after(200, 400, 100));
    print("outlier", one.after(1, 1_000_000, 0));
    print("soon", one.after(12, 5000, 0));
    print("dear", one.after(200, 5000, 0));
    print("again", one.after(200, 500, 0));
    print("idle", idle.after(200, 2500, 2500));
    print("four", four.after(200, 20_000, 0));
    print("stops", four.after(200, 0, 5000));
    print("begin", cold.after(0, 0, 0));
    print("start", cold.after(2, 100_000, 0));
    print("settled", cold.after(120, 500, 0));
    print("lent", new Budget(1).after(30, 2000, 0));
    print("spent", new Budget(1).after(300, 2000, 0));
    print("often", new Budget(1, 100, 0.05).after(1000, 480, 0));
    print("over", new Budget(1, 100, 0.05).after(1000, 1000, 0));
  }

  private static void print(String what, long ms) {
    System.out.println(what + " " + ms);
  }
}
