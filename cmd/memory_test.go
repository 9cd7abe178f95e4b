package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"contend/report/document"
)

// base and perHold bound the peak resident size of an analysis of an exact
// trace, in bytes: perHold for each wait and each recorded tenure.
const (
	base    = 128 << 20
	perHold = 40
)

func TestMemoryOfExactTraces(t *testing.T) {
	onlyLinux(t)
	for _, duration := range []string{"100s", "600s"} {
		t.Run(duration, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.bin")
			if code := Main([]string{"simulate", "--scenario", "random", "--threads", "16", "--exact", "--duration", duration, "-o", path}, nil, os.Stdout, os.Stderr); code != exitOK {
				t.Fatalf("simulate: exit %d", code)
			}
			a := ask[document.Analyze](t, "analyze", path)
			holds := a.Coverage.Events // most are waits and tenures
			limit := base + perHold*holds
			most := peak(t, limit, "analyze", path)
			t.Logf("%d waits, %d events: peak %d MB", a.Total.Waits, holds, most>>20)
			if most == 0 || most > limit {
				t.Errorf("peak %d bytes for %d waits among %d events, bound %d", most, a.Total.Waits, holds, limit)
			}
		})
	}
}
