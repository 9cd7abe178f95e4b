package jfr

import (
	"math"
	"strings"
	"testing"

	"contend/format"
)

func hints(h *unobserved) string {
	var out []string
	for _, w := range h.warnings() {
		out = append(out, w.Code+": "+w.Text)
	}
	return strings.Join(out, "\n")
}

// Owners of locks wait for processors where there are locks that somebody waits for.
func TestSaturationNeedsAFifthOfTheSamplesAndWaiting(t *testing.T) {
	for _, c := range []struct {
		busy, all       int
		contended, said bool
	}{{0, 0, true, false}, {1, 10, true, false}, {2, 10, true, true}, {2, 10, false, false}} {
		if got := hints(&unobserved{loads: c.all, saturated: c.busy, contended: c.contended}); (got != "") != c.said {
			t.Errorf("%d of %d: %q", c.busy, c.all, got)
		}
	}
}

// Waits whose stacks are cut count with their time; a machine is saturated when
// hardly any of it is idle.
func TestTruncatedStacksAndLoads(t *testing.T) {
	r := started(t)
	const key = 1 << 20
	where := r.grow(1, 0) // truncated, and of no frames
	r.pools[r.meta.parts.stack.pool].set(key, uint32(where)+1)
	id := r.stack(key)
	r.note(&format.Event{Kind: format.KindWait, Stack: id, Time: 5, End: 3_000_005})
	for _, share := range []float32{0.5, 0.9, 0.97, 1} {
		cpuLoad(r, &values{slotLoad: int64(math.Float32bits(share))}, nil)
	}
	if r.unobserved.cut != (amount{1, 3_000_000}) || !r.unobserved.contended || r.unobserved.loads != 4 || r.unobserved.saturated != 2 {
		t.Errorf("%+v", r.unobserved)
	}
	if got := hints(&r.unobserved); !strings.Contains(got, "truncated-stacks: the stacks of 1 wait, 3.00 ms") {
		t.Error(got)
	}
}
