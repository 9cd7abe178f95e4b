//go:build unix

package cmd

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"contend/format"
	"contend/format/record/agent"
	"contend/golden"
	"contend/report/document"
)

// Four threads wait nearly all the time; meanwhile, for half of it, four hundred
// others wait as well. Prints for how long the ones and the others did.
const paced = `import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

public class Stretched {
  static final Lock few = new ReentrantReadWriteLock().writeLock(), crowd = new ReentrantLock();
  static final LongAdder ofFew = new LongAdder(), ofCrowd = new LongAdder();
  static volatile boolean done;

  static void take(Lock l, LongAdder waited, long ms) {
    long begun = System.nanoTime();
    l.lock();
    waited.add(System.nanoTime() - begun);
    rest(ms);
    l.unlock();
  }

  static void rest(long ms) {
    try { Thread.sleep(ms); } catch (InterruptedException e) { throw new IllegalStateException(e); }
  }

  public static void main(String[] args) throws Exception {
    rest(1000); // the agent is at work
    Thread[] all = new Thread[404];
    for (int i = 0; i < 4; i++) (all[i] = new Thread(() -> { while (!done) take(few, ofFew, 50); })).start();
    rest(4000);
    crowd.lock();
    for (int i = 4; i < all.length; i++) (all[i] = new Thread(() -> take(crowd, ofCrowd, 0))).start();
    rest(8000);
    crowd.unlock();
    rest(4000);
    done = true;
    for (Thread t : all) t.join();
    rest(500);
    System.out.println(ofFew + " " + ofCrowd);
  }
}`

// Where samples cost much for a while, the agent takes fewer then, and says so: each
// stands for as much more.
func TestFewerSamplesStandForMore(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir, classes := program(t, "Stretched", paced)
	jar := filepath.Join(dir, "agent.jar")
	golden.OK(t, os.WriteFile(jar, agent.Jar, 0o644))
	for jdk, jvm := range jvms() {
		t.Run(jdk, func(t *testing.T) {
			t.Parallel()
			trace := filepath.Join(dir, jdk+".bin")
			out := golden.Must(exec.Command(jvm, "-javaagent:"+jar+"=rate=100,file="+trace, "-cp", classes, "Stretched").Output())(t)
			waited := strings.Fields(string(out))
			d := ask[document.Analyze](t, "analyze", trace)
			for i, class := range []string{"ReadWrite", "ReentrantLock"} {
				got := int64(0)
				for _, l := range d.Locks {
					if strings.Contains(l.Class, class) {
						got += l.WaitNs
					}
				}
				want, err := strconv.ParseFloat(waited[i], 64)
				t.Logf("%s: %.2f s of waiting, %.2f by the program's clock", class, float64(got)/1e9, want/1e9)
				if err != nil || math.Abs(float64(got)/want-1) > 0.1 {
					t.Errorf("%s: not within a tenth", class)
				}
			}
			saysHowMany(t, d)
		})
	}
}

// saysHowMany checks that an analysis says how many samples came of how many asked for.
func saysHowMany(t *testing.T, d *document.Analyze) {
	t.Helper()
	for _, w := range d.Coverage.Warnings {
		if w.Code == format.FewerSamples && strings.Contains(w.Text, " asked for") {
			return
		}
	}
	t.Errorf("how many samples came is not said: %+v", d.Coverage.Warnings)
}

// So does record itself, also beside a flight recording, and the trace it writes.
func TestRecordSaysHowManySamplesCame(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid := strconv.Itoa(java(t, "java", nil).Process.Pid)
	for _, with := range []string{"agent", "both"} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "out.bin")
			code, _, msg := recordOf(t, "--with", with, "--rate", "1000", "--duration", "3s", "-o", file, pid)
			if code != exitOK || strings.Count(msg, " asked for") != 1 {
				t.Fatalf("exit %d: %s", code, msg)
			}
			saysHowMany(t, ask[document.Analyze](t, "analyze", file))
		})
	}
}
