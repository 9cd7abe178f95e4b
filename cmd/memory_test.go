package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"contend/report/schema"
)

// analyzeChild, when it is set, makes this test binary analyze the file it
// names and say how much memory that took.
const analyzeChild = "CONTEND_TEST_ANALYZE"

// base and perHold bound the peak resident size of an analysis of an exact
// trace, in bytes: perHold for each wait and each recorded tenure.
const (
	base    = 128 << 20
	perHold = 40
)

// Memory is that of a process: a test of its own runs in a child.
func TestMemoryOfExactTraces(t *testing.T) {
	if path := os.Getenv(analyzeChild); path != "" {
		if code := Main([]string{"analyze", "--format", "json", path}, nil, os.Stdout, os.Stderr); code != exitOK {
			t.Fatalf("exit %d", code)
		}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stderr.Write(status)
		return
	}
	if testing.Short() {
		t.Skip("skipped: generates large traces")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("skipped: there is no /proc to read the peak from")
	}
	for _, duration := range []string{"100s", "600s"} {
		t.Run(duration, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.bin")
			if code := Main([]string{"simulate", "--scenario", "random", "--threads", "16", "--exact", "--duration", duration, "-o", path}, nil, os.Stdout, os.Stderr); code != exitOK {
				t.Fatalf("simulate: exit %d", code)
			}
			a := ask[schema.Analyze](t, "analyze", path)
			holds := a.Coverage.Events // most are waits and tenures
			peak := peakOf(t, path)
			t.Logf("%d waits, %d events: peak %d MB", a.Total.Waits, holds, peak>>20)
			if limit := base + perHold*holds; peak > limit {
				t.Errorf("peak %d bytes for %d waits among %d events, bound %d", peak, a.Total.Waits, holds, limit)
			}
		})
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf analyzes a file in a child and returns its peak resident size, in
// bytes.
func peakOf(t *testing.T, path string) int64 {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestMemoryOfExactTraces$")
	child.Env = append(os.Environ(), analyzeChild+"="+path)
	var msg bytes.Buffer
	child.Stderr = &msg
	if err := child.Run(); err != nil {
		t.Fatalf("%v: %s", err, msg.String())
	}
	m := highWater.FindStringSubmatch(msg.String())
	if m == nil {
		t.Fatalf("no peak in %q", msg.String())
	}
	kb, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
