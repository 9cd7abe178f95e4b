package cmd

import (
	"path/filepath"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// base and perHold bound the peak resident size of an analysis of an exact
// trace, in bytes: perHold for each wait and each recorded tenure.
const (
	base    = 128 << 20
	perHold = 40
)

func TestMemoryOfExactTraces(t *testing.T) {
	golden.Thorough(t)
	onlyLinux(t)
	path := filepath.Join(t.TempDir(), "trace.bin")
	run(t, "simulate", "--scenario", "random", "--threads", "16", "--exact", "--duration", "600s", "-o", path)
	holds := ask[document.Verify](t, "verify", path).Events // most are waits and tenures
	limit := base + perHold*holds
	most := peak(t, limit, "analyze", path)
	t.Logf("%d events: peak %d MB", holds, most>>20)
	if most == 0 || most > limit || holds < 1e6 {
		t.Errorf("peak %d bytes for %d events, bound %d", most, holds, limit)
	}
}
