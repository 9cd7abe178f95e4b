package analysis

import (
	"math"
	"regexp"
	"testing"

	"contend/format"
)

// twoLocks is a trace of two programs beside each other: one has its lock for long and
// hardly ever leaves it free, the other for a short time on a busy machine.
func twoLocks() (events []format.Event) {
	for i, c := range []contended{
		{threads: 6, think: 20e6, wakeup: 30e3, holds: []float64{10e6}},
		{threads: 12, think: 1e6, wakeup: 2e6, holds: []float64{20e3, 100e3, 300e3}},
	} {
		list, _ := c.run(1000)
		for _, ev := range list {
			ev.Object += format.ObjectID(i)
			ev.Thread += format.ThreadID(100 * i)
			if ev.Stack != format.NoStack {
				ev.Stack += format.StackID(10 * i)
			}
			events = append(events, ev)
		}
		for s := range c.holds {
			events = append(events, stack(10*i+s+1, "section", "loop"))
		}
		def := kind(i+1, format.KindSynchronizer)
		def.Class = []string{"Long", "Short"}[i]
		events = append(events, def)
	}
	return events
}

// Of one lock is said what is expected of it, not of the whole recording; of a stretch, what
// is expected of the locks that are waited for in it.
func TestExpectationsAreOfWhatIsSelected(t *testing.T) {
	events := twoLocks()
	run := func(f Filter) *Trace {
		tr, err := Run(&format.List{Events: events}, f)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	expected := func(tr *Trace) float64 {
		share, ok := tr.Coverage.Calibration[Estimated].Expected()
		if !ok {
			t.Fatal("nothing is expected")
		}
		return share
	}
	whole := run(open)
	of := map[string]float64{}
	for id, class := range map[uint32]string{1: "Long", 2: "Short"} {
		f := open
		f.Class = regexp.MustCompile(class)
		tr := run(f)
		alone := whole.Coverage.Trusts.Of(id, false)
		if of[class] = expected(tr); tr.Coverage.Calibration != alone {
			t.Errorf("%s: %+v selected, %+v of the whole", class, tr.Coverage.Calibration, alone)
		}
	}
	if all := expected(whole); of["Long"] < all+0.05 || of["Short"] > all-0.05 {
		t.Errorf("%.2f of all, %v", all, of)
	}
	part := open
	part.To, part.ToRel = 500e6, true
	tr := run(part)
	for p, ns := range tr.Coverage.ByProvenance {
		if got := tr.Coverage.Calibration[p].Ns; Provenance(p) != Unknown && got != ns {
			t.Errorf("%v: expected of %d ns, %d selected", Provenance(p), got, ns)
		}
	}
	low, high := tr.Coverage.Calibration[Estimated].Bounds()
	if share := expected(tr); !(low <= share && share <= high && high <= 1) || math.IsNaN(share) {
		t.Errorf("%v, from %v to %v", share, low, high)
	}
	part.From, part.FromRel = 1e15, true
	part.To = format.NoTime
	if c := run(part).Coverage.Calibration; c != (Calibration{}) {
		t.Errorf("expected of nothing: %+v", c)
	}
}
