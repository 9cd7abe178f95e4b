package cmd

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"contend/report/schema"
)

const goTrace = "../testdata/go126-truth-12goroutines.trace"

// goTruth is what the traced Go program logged of itself.
type goTruth struct {
	Locks []struct {
		Lock      string
		WaitNs    int64
		HandoffNs int64
		BlockedBy map[string]float64
	}
}

// goLocks are the limits for each lock of the traced program, and a function
// by which to know it.
var goLocks = map[string]struct {
	taker    string
	distance float64
}{
	"ledger":  {"main.reconcile", 0.10},
	"journal": {"main.flush", 0.10},
	"cache":   {"main.refresh", 0.15},
}

// Waiting and owners, by lock, against what the program logged of itself.
func TestGoLocksEqualTheProgramsOwnLog(t *testing.T) {
	text, err := os.ReadFile(strings.TrimSuffix(goTrace, ".trace") + ".truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var want goTruth
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	blame := ask[schema.Blame](t, "blame", "--by", "lock,owner-method", goTrace)
	if len(want.Locks) != len(goLocks) {
		t.Fatalf("%d locks in the truth", len(want.Locks))
	}
	for _, l := range want.Locks {
		limit := goLocks[l.Lock]
		total, handoff, by, known := int64(0), int64(0), map[string]float64{}, 0.0
		for _, r := range blame.Rows {
			if !strings.Contains(r.Keys[0], limit.taker) {
				continue
			}
			total += r.ThreadNs
			if r.Keys[1] == "[handoff]" {
				handoff += r.ThreadNs
			}
			if op, ok := strings.CutPrefix(r.Keys[1], "main."); ok {
				by[strings.TrimSuffix(op, "J")] += float64(r.ThreadNs)
				known += float64(r.ThreadNs)
			}
		}
		if off := math.Abs(float64(total)/float64(l.WaitNs) - 1); off > 0.03 {
			t.Errorf("%s: waiting %d ns, want %d", l.Lock, total, l.WaitNs)
		}
		if off := math.Abs(float64(handoff-l.HandoffNs)) / float64(l.WaitNs); off > 0.03 {
			t.Errorf("%s: %d ns of hand-off, want %d", l.Lock, handoff, l.HandoffNs)
		}
		sum, d := 0.0, 0.0
		for _, ns := range l.BlockedBy {
			sum += ns
		}
		for op, ns := range l.BlockedBy {
			d += math.Abs(ns/sum-by[op]/known) / 2
		}
		t.Logf("%s: waiting %.4f of the truth, distance %.3f, owner's operation known %.3f", l.Lock, float64(total)/float64(l.WaitNs), d, known/float64(total))
		if d > limit.distance {
			t.Errorf("%s: distance %.3f: %v", l.Lock, d, by)
		}
	}
}
