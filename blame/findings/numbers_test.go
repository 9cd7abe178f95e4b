package findings

import (
	"testing"

	"contend/analysis"
)

// A finding is shown if half of what it says is expected to be right; of what
// threads are known by, without their sections, three tenths are.
func TestWhatIsHardlyKnownIsNotShown(t *testing.T) {
	for name, c := range map[string]struct {
		exact, estimated, threads, nobody int64
		shown                             bool
		sure                              Confidence
	}{
		"two fifths are recorded": {exact: 40, nobody: 60},
		"three fifths":            {exact: 60, nobody: 40, shown: true},
		"seven tenths":            {exact: 73, nobody: 27, shown: true, sure: Medium},
		"nearly nine tenths":      {exact: 88, nobody: 12, shown: true, sure: Medium},
		"more than nine tenths":   {exact: 92, nobody: 8, shown: true, sure: High},
		"estimated":               {estimated: 100, shown: true},
		"threads alone":           {exact: 10, threads: 90},
		"threads, a third exact":  {exact: 33, threads: 67, shown: true},
		"half threads, no others": {exact: 33, threads: 33, nobody: 34},
	} {
		f := Finding{WaitNs: 100, Share: 1}
		f.ByProvenance[analysis.Exact], f.ByProvenance[analysis.Estimated], f.ByProvenance[analysis.ThreadOnly], f.ByProvenance[analysis.Unknown] = c.exact, c.estimated, c.threads, c.nobody
		var trace Trace
		if shown := trace.worthWhile(&f); shown != c.shown || shown && trace.confidence(&f) != c.sure {
			t.Errorf("%s: shown %v, %v", name, shown, trace.confidence(&f))
		}
	}
}

// Recorded samples and what was inferred are nearly all right.
func TestWhatIsSureWhereNothingTells(t *testing.T) {
	for _, p := range []analysis.Provenance{analysis.Sampled, analysis.Inferred} {
		var by [analysis.Provenances]int64
		by[p] = 100
		if known := (&Trace{}).Known(by); known < 0.92 || known > 0.97 {
			t.Errorf("%v: %v", p, known)
		}
	}
}

// Two waits tell whether one starves, if both were passed by many; one alone does not.
func TestTwoWaitsTellOfStarvation(t *testing.T) {
	for waits, want := range map[int]bool{1: false, 2: true} {
		var one, others passing
		for range waits {
			one.add(10, 1000)
		}
		others.add(-10, 10)
		others.add(-10, 10)
		if got := one.starves(&others, 1); got != want {
			t.Errorf("%d waits: %v", waits, got)
		}
	}
}
