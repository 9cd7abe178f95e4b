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
		if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Total, msg.String()
	}
	first, second := filepath.Join(dir, "first.jfr"), filepath.Join(dir, "second.jfr")
	dump := func(path string, more int64) (got document.Total) { // than so many waits
		if !comes(func() bool {
			if out, err := exec.Command("jcmd", pid, "JFR.dump", "filename="+path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got, _ = total(path)
			return got.Waits > more
		}) {
			t.Fatalf("%s: %d waits", path, got.Waits)
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

// JDK 17 writes jdk.ActiveRecording with times of the second chunk in all later ones.
func TestLaterDumpsAreWhole(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid := strconv.Itoa(java(t, "java", nil, "-XX:StartFlightRecording:settings=profile").Process.Pid)
	path := filepath.Join(t.TempDir(), "dump.jfr")
	for range 4 {
		time.Sleep(1100 * time.Millisecond) // a chunk begins with each dump: none is that old
		if out, err := exec.Command("jcmd", pid, "JFR.dump", "filename="+path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var out, msg strings.Builder
	if code := Main([]string{"verify", path}, nil, &out, &msg); code != exitOK {
		t.Errorf("exit %d: %s%s", code, out.String(), msg.String())
	}
}
