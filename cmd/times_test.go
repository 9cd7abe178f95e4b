package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// Each command counts from the start of the trace, whatever part of it is looked at.
func TestOneClock(t *testing.T) {
	t.Parallel()
	const trace = "../testdata/truth-8threads.jfr"
	start := ask[document.Analyze](t, "analyze", trace).Trace.StartNs
	cut := []string{"--from", "3s", "--to", "3.5s", trace}
	for _, command := range []string{"csp", "csp --chart", "csp --format markdown"} {
		if out := run(t, append(strings.Fields(command), cut...)...); !strings.Contains(out, " 3.000 s") || !strings.Contains(out, " 3.500 s") || strings.Contains(out, " 0.500 s") {
			t.Errorf("%s:\n%s", command, out)
		}
	}
	for _, name := range []string{"csp.svg", "csp.html"} {
		path := filepath.Join(t.TempDir(), name)
		run(t, append([]string{"csp", "-o", path}, cut...)...)
		if drawn, err := os.ReadFile(path); err != nil || !strings.Contains(string(drawn), "3.000 s") || strings.Contains(string(drawn), ">0.500 s") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if from := ask[document.CSP](t, append([]string{"csp"}, cut...)...).Intervals[0].StartNs; from != start+3e9 {
		t.Errorf("the first interval begins %d behind the trace's start", from-start)
	}
	if p := ask[document.Analyze](t, append([]string{"analyze"}, cut...)...).Phases[0]; p.StartNs != start+3e9 {
		t.Errorf("a phase from %d", p.StartNs-start)
	}
}

// dumpsOf are some of one process, in which three threads wait for a fourth.
func dumpsOf(process int, times ...string) string {
	var b strings.Builder
	for _, at := range times {
		fmt.Fprintf(&b, "2026-11-21 %s\nFull thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n", at)
		fmt.Fprintf(&b, "\"owner\" #10 prio=5 tid=0x1 nid=0x%d0 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat App.b(App.java:9)\n\t- locked <0x1f> (a App$Lock)\n\n", process)
		for i := 1; i <= 3; i++ {
			fmt.Fprintf(&b, "\"w-%d\" #%d prio=5 tid=0x1 nid=0x%d%d waiting for monitor entry [0x1]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a App$Lock)\n\n", i, 10+i, process, i)
		}
		b.WriteString("JNI global refs: 5\n\n")
	}
	return b.String()
}

// Thread dumps tell of the time between the first and the last of a process, and of
// no other.
func TestDumpsTellOfTheTimeBetweenThem(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		texts   []string
		elapsed int64
	}{
		"two":                      {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.700")}, 57e8},
		"three":                    {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.700", "07:00:06.000")}, 6e9},
		"a process after another":  {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000"), dumpsOf(2, "08:00:00.000", "08:00:04.000")}, 9e9},
		"in one file":              {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000") + dumpsOf(2, "08:00:00.000", "08:00:04.000")}, 9e9},
		"one process in two files": {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000"), dumpsOf(1, "07:00:10.000", "07:00:15.000")}, 15e9},
	} {
		var paths []string
		for i, text := range c.texts {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".txt"))
			golden.OK(t, os.WriteFile(path, []byte(text), 0o644))
			paths = append(paths, path)
		}
		a := ask[document.Analyze](t, append([]string{"analyze"}, paths...)...)
		if a.ElapsedNs != c.elapsed || a.Total.WaitNs != 3*c.elapsed {
			t.Errorf("%s: %d of waiting in %d, want three threads in %d", what, a.Total.WaitNs, a.ElapsedNs, c.elapsed)
		}
	}
}

// What two processes recorded one after the other took as long as both recordings.
func TestNoTimePassesBetweenTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, exact := range []string{"--exact=false", "--exact"} {
		first, second := filepath.Join(t.TempDir(), "1.txt"), filepath.Join(t.TempDir(), "2.txt")
		run(t, "simulate", exact, "--text", "--duration", "2s", "-o", first)
		text := golden.Must(os.ReadFile(first))(t)
		golden.OK(t, os.WriteFile(second, []byte(strings.ReplaceAll(string(text), "=170000000", "=170000900")), 0o644))
		one, both := ask[document.Analyze](t, "analyze", first), ask[document.Analyze](t, "analyze", first, second)
		if both.ElapsedNs != 2*one.ElapsedNs || both.Total.WaitNs != 2*one.Total.WaitNs {
			t.Errorf("%s: %d in %d, one of them %d in %d", exact, both.Total.WaitNs, both.ElapsedNs, one.Total.WaitNs, one.ElapsedNs)
		}
		m, n := ask[document.CSP](t, "csp", "--metrics", first).Metrics[0], ask[document.CSP](t, "csp", "--metrics", first, second).Metrics[0]
		if off := 2*n.FailedPerSecond - m.FailedPerSecond; off > 1e-9 || off < -1e-9 {
			t.Errorf("%s: of two programs alike %v a second at a lock, of one %v", exact, n.FailedPerSecond, m.FailedPerSecond)
		}
	}
}
