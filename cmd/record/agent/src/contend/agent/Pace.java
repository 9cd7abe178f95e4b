package contend.agent;

import java.io.IOException;
import java.lang.management.ManagementFactory;

/**
 * How far apart samples are: as was asked for, or farther where they cost more than a
 * share of the processors that the program keeps busy, of one at least, or stop it for
 * more than that share of the time. A sample costs what the agent's thread takes, and
 * what the JVM's takes to stop the others.
 *
 * The first samples run code that is not compiled, and cost several times as much as later
 * ones. They draw on a credit: what samples may cost in CREDIT_NANOS. It is filled again as
 * far as they cost less.
 *
 * The period follows what samples cost on average, slowly: were it drawn by what the
 * last one cost, those that cost much would stand for longer than the others.
 */
final class Pace {
  private static final double CREDIT_NANOS = 8e9;
  private static final long START = 100_000_000; // pays for a sample, before it is known what one costs
  private static final int FEW = 4, MANY = 32; // samples that the average is of, at first and later
  private static final int MOST = 4; // times as much as is paid for: more is an outlier
  private static final double NEAR = 0.125; // to the period that would be right, by so much of it

  private final TraceWriter out;
  private final long asked;
  private final double share;
  private double credit; // ns
  private long period; // as the trace tells it
  private double pays; // period that pays for a sample
  private double busy = 1; // processors
  private long own, stood; // what the agent's thread and stops had taken at the last sample
  private long begun, counted, ran; // when; when processors were counted, and the program's time then
  private long samples;

  Pace(TraceWriter out, double rate, double share) {
    this.out = out;
    this.share = share;
    credit = share * CREDIT_NANOS;
    asked = (long) (1e9 / rate);
    pays = Math.max(asked, START);
  }

  long period() {
    return period;
  }

  void begin(long now, long program, long cpu) throws IOException {
    begun = counted = now;
    ran = program;
    own = cpu;
    tell(asked);
  }

  /** Takes in what one more sample cost, with all that was done since the one before. */
  void sampled(long cpu, long stops) throws IOException {
    double stop = stops - stood, costs = Math.max((cpu - own + stop) / busy, stop);
    own = cpu;
    stood = stops;
    pays += (Math.min(costs / share, MOST * Math.max(pays, asked)) - pays) / Math.min(FEW + samples++, MANY);
    double most = share * CREDIT_NANOS;
    credit = Math.min(most, Math.max(0, credit + share * period - costs));
    double lent = Math.min(1, 2 * credit / most); // all of it as long as half of the credit is left
    long right = Math.max(asked, (long) (lent * asked + (1 - lent) * pays));
    if (Math.abs(right - period) > NEAR * right || right == asked && period != asked) {
      tell(right);
    }
  }

  /** Takes in how much of the processors' time the program had taken, and counts those it has kept busy. */
  void ran(long now, long program) {
    busy = Math.max(1, (double) (program - ran) / (now - counted));
    counted = now;
    ran = program;
  }

  /** The same as the JVM counts it; 0 in one that was made without the module which does. */
  static long program() {
    try {
      return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    } catch (LinkageError | ClassCastException e) {
      return 0;
    }
  }

  private void tell(long next) throws IOException {
    period = next;
    out.setting("sampling-period", Long.toString(next));
  }

  private String share() {
    return String.valueOf(Math.round(1e6 * share) / 1e4).replaceAll("\\.0$", "");
  }

  /** Says how many samples came, if these are fewer than were asked for. */
  void end(long now) throws IOException {
    long all = (now - begun) / asked;
    if (period > 0 && samples < 0.9 * all) { // else it has not begun
      out.note("fewer-samples", "the agent took " + samples + " samples of " + all
          + " asked for: there are fewer where they would cost over " + share() + " % of the processor time, or a stop takes long");
    }
  }
}
