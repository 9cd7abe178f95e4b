package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// What a trace will need is said before it is there, with the file, what it holds
// and what to do; and nothing is said where there is enough.
func TestTooMuchForTheMemoryIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	run(t, "simulate", "--scenario", "random", "--threads", "16", "--exact", "--duration", "4s", "-o", path)
	say := func() string {
		var out, msg strings.Builder
		if code := Main([]string{"analyze", path}, nil, &out, &msg); code != exitOK {
			t.Fatalf("exit %d: %s", code, &msg)
		}
		return msg.String()
	}
	if got := say(); got != "" {
		t.Errorf("there is enough memory, and it says %q", got)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(needBase + 1000))
	got := say()
	debug.SetMemoryLimit(needBase - 1)
	if got := say(); strings.Count(got, "any recording needs about 134 MB, and there are 134 MB\n") != 1 {
		t.Errorf("less than anything needs, and it says %q", got)
	}
	if !strings.HasPrefix(got, "contend: warning: "+path+": some ") || strings.Count(got, " waits, ") != 1 || !strings.Contains(got, "and there are 134 MB\nhint: ") {
		t.Errorf("it says %q", got)
	}
}

// What is read of an input stands for the rest, unless it is very little.
func TestWhatWillBeNeeded(t *testing.T) {
	d := &demand{waits: 1e6, activities: 2e6, others: 1e6}
	if got, want := d.bytes(1), int64(needBase+3e6*needActivity+1e6*needOther); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got, want := d.bytes(0.25), int64(needBase+4*(3e6*needActivity+1e6*needOther)); got != want {
		t.Errorf("of a quarter %d, want %d", got, want)
	}
	many := &demand{waits: 1e6, locks: 1e6}
	if got, want := many.bytes(1), int64(needBase+1e6*(needActivity+needLock)); got != want {
		t.Errorf("a million locks: %d, want %d", got, want)
	}
	for _, c := range []struct {
		have, read int64
		says       bool
	}{{1 << 30, 100, false}, {2 << 30, 10, false}, {1 << 30, 1, false}, {200 << 20, 100, true}, {200 << 20, 1, true}, {400 << 20, 25, true}, {400 << 20, 100, false}, {0, 1, false}} {
		var msg strings.Builder
		d := &demand{waits: 1e6, activities: 2e6, others: 1e6, have: c.have}
		d.warn(&env{msg: &msg}, c.read, 100)
		d.warn(&env{msg: &msg}, c.read, 100)
		if got := strings.Count(msg.String(), "warning"); (got == 1) != c.says || got > 1 {
			t.Errorf("%d %% read, %d MB: %q", c.read, c.have>>20, &msg)
		}
	}
}

// The least limit counts: of the control groups, nested ones too, and the machine.
func TestMemoryThereIs(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		file = filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := func(mb int64) {
		t.Helper()
		if got := memory(root); got != mb<<20 {
			t.Errorf("%d MB, want %d", got>>20, mb)
		}
	}
	want(0)
	write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n")
	want(8192)
	write("proc/self/cgroup", "0::/a/b\n")
	write("sys/fs/cgroup/a/b/memory.max", "max\n")
	want(8192)
	write("sys/fs/cgroup/a/memory.max", "2147483648\n")
	want(2048)
	write("proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n")
	write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1073741824\n")
	want(1024)
	write("proc/self/status", "Name:\tcontend\nVmSize:\t 1300000 kB\nVmRSS:\t   30000 kB\n")
	write("proc/self/limits", "Max stack size            8388608              unlimited            bytes\nMax address space         unlimited            unlimited            bytes\n")
	want(1024)
	write("proc/self/limits", fmt.Sprintf("Max address space         %-20d unlimited            bytes\n", 1270000<<10+500<<20))
	want(500)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(300 << 20))
	want(300)
}
