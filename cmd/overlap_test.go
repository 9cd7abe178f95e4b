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

	"contend/report/document"
)

// Two dumps of one running recording, as the JVM writes them, count once what
// both hold, in any order.
func TestTwoDumpsOfOneRecording(t *testing.T) {
	thorough(t)
	t.Parallel()
	pid := strconv.Itoa(java(t, "java", nil, "-XX:StartFlightRecording:settings=profile").Process.Pid)
	dir := t.TempDir()
	dump := func(name string) string {
		time.Sleep(1500 * time.Millisecond)
		path := filepath.Join(dir, name)
		if out, err := exec.Command("jcmd", pid, "JFR.dump", "filename="+path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return path
	}
	first, second := dump("first.jfr"), dump("second.jfr")
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
	part, _ := total(first)
	all, _ := total(second)
	if part.Waits == 0 || all.Waits <= part.Waits {
		t.Fatalf("%d waits in the first dump, %d in the second", part.Waits, all.Waits)
	}
	for _, files := range [][]string{{first, second}, {second, first}} {
		if got, said := total(files...); got != all || !strings.Contains(said, first+" is part of "+second) {
			t.Errorf("%q: %+v, want %+v; %s", files, got, all, said)
		}
	}
}
