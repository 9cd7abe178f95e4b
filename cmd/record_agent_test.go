//go:build unix

package cmd

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/cmd/record/agent"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// The owner of a monitor is named by the frame that entered it, as the JVM tells, and not by
// the frame it is shown in. Of other locks no JVM tells the frame: an owner was "in" the one it
// is shown in, unless it was seen to wait there, and the lock is named by where threads wait.
func TestTheLineThatTookTheMonitor(t *testing.T) {
	golden.Thorough(t)
	for _, with := range []string{"agent", "both"} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			recordedBy(
				t,
				"Helped",
				5,
				100,
				[]string{"--with", with, "--rate", "50", "--max-overhead", "50%"},
				func(t *testing.T, d *document.Analyze) {
					took := map[string]int64{}
					for _, l := range d.Locks {
						for _, o := range l.Owners {
							site, _, _ := strings.Cut(o.Site, ":")
							if o.In {
								site = "in " + site
							}
							took[l.Class+" "+site] += o.WaitNs
						}
						if strings.Contains(l.Class, "ReentrantLock") && !strings.HasPrefix(l.Site, "Helped.look:") &&
							!strings.HasPrefix(l.Site, "Helped.keep:") {
							t.Errorf("the lock stands at %s", l.Site)
						}
					}
					t.Log(took)
					if safe := "java.util.concurrent.locks.ReentrantLock$NonfairSync "; took[safe+
						"Helped.sleep"] != 0 ||
						took[safe+"in Helped.sleep"]+took[safe+"Helped.keep"] == 0 {
						t.Error("the owner of the lock is not said to be in its helper")
					}
					for _, want := range []string{"Helped$Stock Helped.audit", "Helped$Stock Helped.count",
						"Helped$Till Helped.close"} {
						if took[want] == 0 {
							t.Errorf("%s is no owner", want)
						}
					}
					for _, class := range []string{"Helped$Stock", "Helped$Till"} {
						if took[class+" Helped.sleep"] != 0 || took["Helped$Till Helped.count"] != 0 {
							t.Errorf("a helper took %s", class)
						}
					}
				},
			)
		})
	}
}

// recordedBy runs a class that uses those of Busy with each JDK here, records it with the
// agent and these flags as well, and shows what analyze says of it. It records for so many
// seconds, and again for longer where the agent had too few turns on a busy machine for so
// many samples.
func recordedBy(
	t *testing.T,
	name string,
	seconds int,
	samples int64,
	flags []string,
	look func(*testing.T, *document.Analyze),
) {
	t.Helper()
	dir, classes := t.TempDir(), classes(t)
	eachJVM(t, func(t *testing.T, jdk, jvm string) {
		pid, file := program(t, jvm, nil, "-cp", classes, name).Process.Pid, filepath.Join(dir, jdk+".bin")
		var d *document.Analyze
		for s := seconds; s <= 16*seconds && (d == nil || d.Coverage.Sampler != nil &&
			d.Coverage.Sampler.Samples < samples); s *= 2 {
			args := []string{"--with", "agent", "--duration", fmt.Sprint(s, "s"), "-o", file, strconv.Itoa(pid)}
			if code, _, msg := recordOf(t, append(args, flags...)...); code != exitOK {
				t.Fatal(msg)
			}
			d = ask[document.Analyze](t, "analyze", file)
		}
		waitForOneEach(t, run(t, "dump", file))
		look(t, d)
	})
}

// waitForOneEach holds samples to it that a thread waits for one lock at a time.
func waitForOneEach(t *testing.T, dump string) {
	t.Helper()
	seen := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^contention (time=\d+) (lock=[1-9]\d*) .*waiters=(\S+)`).FindAllStringSubmatch(dump, -1) {
		for _, waiter := range strings.Split(m[3], ",") {
			thread, _, _ := strings.Cut(waiter, "/")
			at := m[1] + " thread=" + thread
			if lock, other := seen[at]; other && lock != m[2] {
				t.Fatalf("%s waits for %s and %s", at, lock, m[2])
			}
			seen[at] = m[2]
		}
	}
}

// A program whose threads end, and whose classes are unloaded, while they are sampled ends as
// it would otherwise, and its recording is whole.
func TestRecordingWhereThreadsAndClassesComeAndGo(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir, classes := t.TempDir(), classes(t)
	eachJVM(t, func(t *testing.T, jdk, jvm string) {
		end, file := filepath.Join(dir, jdk+".end"), filepath.Join(dir, jdk+".bin")
		c := program(
			t,
			jvm,
			nil,
			"-Xmx64m",
			"-XX:+UseSerialGC",
			"-XX:ErrorFile="+filepath.Join(dir, "crash"),
			"-cp",
			classes,
			"Turnover",
			end,
		)
		code, _, msg := recordOf(
			t,
			"--duration",
			"3s",
			"--rate",
			"100",
			"--max-overhead",
			"50%",
			"-o",
			file,
			strconv.Itoa(c.Process.Pid),
		)
		golden.Equal(t, code, exitOK, msg)
		golden.OK(t, os.WriteFile(end, nil, 0o600))
		golden.OK(t, c.Wait())
		golden.Holds(t, run(t, "verify", file), "whole")
		golden.Holds(t, run(t, "blame", "--top", "0", file), "Turnover$Shared")
	})
}

// Getting the monitor back after Object.wait is acquiring, as coming for it is.
func TestTheWayBackFromWaitingIsAcquiring(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Returns", 4, 150, []string{"--rate", "50"}, func(t *testing.T, d *document.Analyze) {
		waited := map[string]float64{}
		for _, l := range d.Locks {
			waited[l.Class] += float64(l.WaitNs) / float64(d.Trace.DurationNs)
		}
		t.Log(waited)
		till, bell := waited["Returns$Till"], waited["Returns$Bell"]
		if till < 0.7 || till > 1.35 || bell < 2.2 || bell > 3.8 {
			t.Errorf("waiting threads, on average: %v; want 1 at the till, 3 at the bell", waited)
		}
	})
}

// Who was seen to wait and got the lock by the time of the stop is not shown as
// waiting for itself.
func TestNobodyWaitsForHimself(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Crowd", 10, 1, []string{"--rate", "200"}, func(t *testing.T, d *document.Analyze) {
		t.Logf("%+v, %d threads", d.Coverage.Sampler, d.Trace.Threads)
		if len(d.Deadlocks) > 0 {
			t.Errorf("%+v", d.Deadlocks[0])
		}
	})
}

// Where samples cost much for a while, the agent takes fewer then, and says so: each
// stands for as much more.
func TestFewerSamplesStandForMore(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir, classes := t.TempDir(), classes(t)
	jar := filepath.Join(dir, "agent.jar")
	golden.OK(t, os.WriteFile(jar, agent.Jar, 0o644))
	eachJVM(t, func(t *testing.T, jdk, jvm string) {
		trace := filepath.Join(dir, jdk+".bin")
		out := golden.Must(
			exec.Command(jvm, "-javaagent:"+jar+"=rate=100,file="+trace, "-cp", classes, "Stretched").Output(),
		)(
			t,
		)
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

// saysHowMany checks that an analysis says how many samples came of how many asked for.
func saysHowMany(t *testing.T, d *document.Analyze) {
	t.Helper()
	for _, w := range d.Coverage.Warnings {
		if w.Code == format.CodeFewerSamples && strings.Contains(w.Text, " asked for") {
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
