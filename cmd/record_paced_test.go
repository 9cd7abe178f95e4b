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

// Where samples cost much for a while, the agent takes fewer then, and says so: each
// stands for as much more.
func TestFewerSamplesStandForMore(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir, classes := t.TempDir(), classes(t)
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
