//go:build unix

package cmd

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"
)

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
