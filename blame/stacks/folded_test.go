package stacks

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// However few samples are told apart, all of the waiting is in them, each view has
// frames for each, and there are not many more.
func TestFoldedSamplesHoldAllWaiting(t *testing.T) {
	var list format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: "random", Threads: 12, Locks: 8, Duration: 2e9, Seed: 5, Period: 1e6}, nil, &list))(t)
	sums := func(view View, most int) (waits, ns int64, b *Builder) {
		b = New(View(view), nil)
		b.most = most
		list.Rewind()
		golden.Must(analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, b))(t)
		for i := range b.Samples() {
			s := &b.samples[i]
			waits, ns = waits+s.Waits, ns+s.DelayNs
			if len(b.Frames(s)) == 0 {
				t.Errorf("%s: %+v has no frames", Views[view], s.Key)
			}
		}
		return waits, ns, b
	}
	for view := range Views {
		waits, ns, all := sums(View(view), maxSamples)
		fewer, less, few := sums(View(view), 20)
		if waits != fewer || ns != less || all.FoldedNs() != 0 || few.FoldedNs() == 0 || few.FoldedNs() >= ns {
			t.Errorf("%s: %d waits of %d ns, %d of %d ns told of few, %d ns of them folded", Views[view], waits, ns, fewer, less, few.FoldedNs())
		}
		if n := len(few.Samples()); n > len(all.Samples())/2 {
			t.Errorf("%s: %d samples of %d", Views[view], n, len(all.Samples()))
		}
	}
}
