//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/cmd/record"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

func TestFlagsOfRecordingsThatComeAgain(t *testing.T) {
	t.Parallel()
	pid := strconv.Itoa(os.Getpid())
	for line, want := range map[string]string{
		"--every 10s " + pid:                                "a recording of 30s does not end in 10s",
		"--every 10m " + pid:                                "recordings that come again need a folder",
		"--every 10m -o - " + pid:                           "recordings that come again need a folder",
		"--every 10m -o x --keep y " + pid:                  `--keep: "y"`,
		"--every 10m -o x http://localhost:1":               "--every and --when are for JVMs",
		"--every 10m -o x --perf " + pid:                    "--every and --when are for JVMs",
		"--every 10m -o x --when deadlock " + pid:           "--every and --when exclude each other",
		"--when csp(*)<5% -o x " + pid:                      "is not a condition",
		"--when csp(*)>+5%~vs~baseline -o x " + pid:         "there is no baseline",
		"--when no~deadlock -o x " + pid:                    "is not a condition",
		"--when ~ -o x " + pid:                              "is not a condition",
		"--when finding(none~of~that~name) -o x " + pid:     "is not a condition",
		"--when csp(*)>5%>6% -o x " + pid:                   "is not a condition",
		"--when p99(*)>10ms --duration 0s -o x " + pid:      "is not a time to record",
		"--when waiting(*)>0.5 --keep -5m -o x " + pid:      "--keep: -5m0s is negative",
		"--keep 24h " + pid:                                 "--keep is for --every and --when",
		"--every 10m -o x --raw y " + pid:                   "--raw is for one recording",
		"--when peak~csp(*)~per~1s>5% --rate 0 -o x " + pid: "samples a second are not possible",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		code, out, msg := recordOf(t, args...)
		if code != exitUsage || out != "" || !strings.Contains(msg, want) || !strings.Contains(msg, "\nhint: ") {
			t.Errorf("%s: exit %d %q\n%s", line, code, out, msg)
		}
	}
}

// A process is recorded again and again until it ends; what is too old goes, and nothing else.
func TestRecordEvery(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		folder := filepath.Join(t.TempDir(), "recordings")
		golden.OK(t, os.Mkdir(folder, 0o755))
		yesterday := time.Now().Add(-25 * time.Hour).Format(stamp)
		old := "Busy-7-" + yesterday + "-keep24h0m0s.bin"
		others := []string{
			"Busy-7-" + time.Now().Add(-23*time.Hour).Format(stamp) + "-keep24h0m0s.bin",
			"Busy-7-" + yesterday + "-keep26h0m0s.bin", // which stay longer
			"Busy-7-" + yesterday + ".bin",
			"Busy-7-19990101-000000-keep24h0m0s.bin.gz",
			"Busy-7-19991301-000000-keep24h0m0s.bin",
		} // and for good
		for _, f := range append(others, old) {
			golden.OK(t, os.WriteFile(filepath.Join(folder, f), []byte(format.Magic), 0o644))
		}
		thesis := "important-1-" + yesterday + "-keep1s.bin" // and no recording
		golden.OK(t, os.WriteFile(filepath.Join(folder, thesis), []byte("thesis"), 0o644))
		others = append(others, thesis)
		p := java(t, jvm, nil)
		pattern := filepath.Join(folder, "Busy-"+strconv.Itoa(p.Process.Pid)+"-*.bin")
		go func() {
			comes(func() bool { found, _ := filepath.Glob(pattern); return len(found) >= 2 })
			_ = p.Process.Kill()
		}()
		code, out, msg := recordOf(
			t,
			"--every",
			"2s",
			"--duration",
			"1s",
			"--keep",
			"24h",
			"-o",
			folder,
			strconv.Itoa(p.Process.Pid),
		)
		if code != exitOK || out != "" {
			t.Errorf("exit %d %q\n%s", code, out, msg)
		}
		found, _ := filepath.Glob(strings.Replace(pattern, "*", "*-keep24h0m0s", 1))
		for _, f := range found {
			ask[document.Analyze](t, "analyze", f)
		}
		if len(found) < 2 {
			t.Errorf("%v\n%s", found, msg)
		}
		if _, err := os.Stat(filepath.Join(folder, old)); err == nil {
			t.Error("what is too old stays")
		}
		for _, f := range others {
			if _, err := os.Stat(filepath.Join(folder, f)); err != nil {
				t.Error(err)
			}
		}
	})
}

// A process that is watched is recorded when the condition begins to hold, and not before.
func TestRecordWhen(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir, classes := t.TempDir(), classes(t)
	eachJVM(t, func(t *testing.T, jdk, jvm string) {
		folder, begins := filepath.Join(dir, jdk), filepath.Join(dir, jdk+".begins")
		p := program(t, jvm, nil, "-cp", classes, "Phased", begins).Process
		quiet, ready := make(chan int, 1), false
		go func() {
			ready = comes(
				func() bool { return flightRecorderRuns(p.Pid) },
			) // before any phase: it takes seconds to start
			time.Sleep(4 * time.Second)
			found, _ := filepath.Glob(filepath.Join(folder, "*"))
			quiet <- len(found)
			_ = os.WriteFile(begins, nil, 0o644)
			comes(
				func() bool { found, _ := filepath.Glob(filepath.Join(folder, "Phased-*.bin")); return len(found) > 0 },
			)
			_ = p.Kill()
		}()
		code, out, msg := recordOf(t, "--when", "csp(*) > 5%", "--duration", "2s", "-o", folder, strconv.Itoa(p.Pid))
		found, _ := filepath.Glob(filepath.Join(folder, "*.bin"))
		if code != exitOK || out != "" || len(found) != 1 {
			t.Fatalf("exit %d %q %v\n%s", code, out, found, msg)
		}
		if n := <-quiet; n != 0 || !ready {
			t.Errorf("%d files before the condition holds; the flight recorder is ready: %v", n, ready)
		}
		if d := ask[document.Analyze](t, "analyze", found[0]); len(d.Locks) == 0 || d.Locks[0].CSP < 0.05 ||
			d.Locks[0].Class != "java.lang.Object" {
			t.Errorf("%+v", d.Locks)
		}
		noData(t, p.Pid)
	})
}

// flightRecorderRuns reports whether a JVM has loaded its flight recorder, whether or not it records.
func flightRecorderRuns(pid int) bool {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/comm", pid))
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
		text, _ := os.ReadFile(name)
		return strings.HasPrefix(string(text), "JFR Recorder")
	})
}

// However large the ids of threads are, as of the last of many virtual ones, each is a thread of its own.
func TestAWatchTellsThreadsApart(t *testing.T) {
	t.Parallel()
	rules := golden.Must(opposite("deadlock"))(t)
	for _, first := range []format.ThreadID{1, 1 << 20, 1 << 30} {
		for last, circle := range map[format.ThreadID]bool{first: true, first + 2: false} {
			var w record.Window
			for _, ev := range []format.Event{
				{Kind: format.KindTick, Time: 5e8, Intended: 5e8, Live: 3},
				{Kind: format.KindContention, Time: 5e8, Object: 1, Owners: []format.Party{{Thread: first}},
					Waiters: []format.Party{{Thread: first + 1}}},
				{Kind: format.KindContention, Time: 5e8, Object: 2, Owners: []format.Party{{Thread: first + 1}},
					Waiters: []format.Party{{Thread: last}}},
			} {
				w.AddEvent(&ev)
			}
			for range 2 { // what is remembered stays as it was
				holds, err := breaks(&w, rules)
				golden.OK(t, err)
				golden.Equal(t, holds, circle, first, last)
			}
			golden.Equal(t, w.Events()[1].Owners[0].Thread, first)
		}
	}
}

// Two dumps of one running recording, as the JVM writes them, count once what
// both hold, in any order.
func TestTwoDumpsOfOneRecording(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid := strconv.Itoa(java(t, "java", nil, "-XX:StartFlightRecording:settings=profile").Process.Pid)
	dir := t.TempDir()
	total := func(files ...string) (document.Total, string) {
		var out, msg strings.Builder
		if code := Main(append([]string{"analyze", "--format", "json"}, files...), nil, &out, &msg); code != exitOK {
			t.Fatalf("exit %d: %s", code, msg.String())
		}
		var doc document.Analyze
		golden.OK(t, json.Unmarshal([]byte(out.String()), &doc))
		return doc.Total, msg.String()
	}
	first, second := filepath.Join(dir, "first.jfr"), filepath.Join(dir, "second.jfr")
	dump := func(path string, more int64) (got document.Total) { // than so many waits
		var said []byte
		if !comes(func() (ok bool) {
			var err error
			if said, err = exec.Command("jcmd", pid, "JFR.dump", "filename="+path).CombinedOutput(); err != nil {
				return false // a busy JVM does not answer in time
			}
			got, _ = total(path)
			return got.Waits > more
		}) {
			t.Fatalf("%s: %d waits; %s", path, got.Waits, said)
		}
		return got
	}
	part := dump(first, 0)
	all := dump(second, part.Waits)
	for _, files := range [][]string{{first, second}, {second, first}} {
		if got, said := total(files...); got != all || !strings.Contains(said, first+" is part of "+second) {
			t.Errorf("%q: %+v, want %+v; %s", files, got, all, said)
		}
	}
}

// What differs from chunk to chunk of a healthy recording is no damage: stale times,
// threads that end with a chunk, and compiler threads that come back.
func TestLaterDumpsAreWhole(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	classes, dir := classes(t), t.TempDir()
	for version, java := range jvms() {
		c := exec.Command(java, "-XX:StartFlightRecording:settings=profile", "-Xmx64m", "-cp", classes, "Churn")
		golden.OK(t, c.Start())
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
		path := filepath.Join(dir, version+".jfr")
		for range 4 {
			time.Sleep(1100 * time.Millisecond) // a chunk begins with each dump: none is that old
			if !comes(func() bool {
				return exec.Command("jcmd", strconv.Itoa(c.Process.Pid), "JFR.dump", "filename="+path).Run() == nil
			}) {
				t.Fatal(version, ": no dump")
			}
		}
		var out, msg strings.Builder
		if code := Main([]string{"verify", path}, nil, &out, &msg); code != exitOK {
			t.Errorf("%s: exit %d: %s%s", version, code, out.String(), msg.String())
		}
	}
}

// A condition holds as soon as the first sample of a phase is whole, which the next one tells.
func TestAWatchSeesAPhaseInItsFirstSample(t *testing.T) {
	t.Parallel()
	var w record.Window
	rules := golden.Must(opposite("csp(*) > 5%"))(t)
	w.AddEvent(&format.Event{Kind: format.KindObject, Object: 1, Class: "L", LockKind: format.KindMonitor})
	const phase = 20
	for i := range int64(phase + 2) {
		whole := w.AddEvent(&format.Event{Kind: format.KindTick, Time: (i + 1) * 5e8, Intended: (i + 1) * 5e8, Live: 4})
		if holds, err := breaks(&w, rules); !whole || err != nil || holds != (i > phase) {
			t.Errorf("sample %d: %v, %v", i, holds, err)
		}
		if i >= phase {
			w.AddEvent(
				&format.Event{
					Kind:    format.KindContention,
					Time:    (i + 1) * 5e8,
					Object:  1,
					Owners:  []format.Party{{}},
					Waiters: []format.Party{{Thread: 1}, {Thread: 2}},
				},
			)
		}
	}
}
