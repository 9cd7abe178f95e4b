package owners

import (
	"math"
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// A few dumps do not outweigh what the inference expects, many do.
func TestDumpsCorrectTheExpectation(t *testing.T) {
	for _, c := range []struct {
		dumps int
		want  [2]float64
	}{{0, [2]float64{0.9, 0.9}}, {2, [2]float64{0.7, 0.89}}, {200, [2]float64{0, 0.1}}} {
		tr := Trust{Ns: 1000, Right: 900, Seen: Agreement{c.dumps, int64(3 * c.dumps), 0, int64(9 * c.dumps)}}
		if got, ok := tr.Expected(); !ok || got < c.want[0] || got > c.want[1] {
			t.Errorf("%d dumps that disagree: %.2f, want %v", c.dumps, got, c.want)
		}
		if _, _, got := tr.Disagrees(); got != (c.dumps > 100) {
			t.Errorf("%d dumps disagree: %v", c.dumps, got)
		}
	}
	without := Agreement{200, 200, 0, 200}
	drawn := drawn{ns: 1000, right: 900, seen: without}
	if _, _, got := (&Trust{Ns: 1000, Right: 900, Seen: without, drawn: drawn}).Disagrees(); got {
		t.Error("what draws on dumps is contradicted by them")
	}
	if _, ok := (&Trust{Ns: 1000, Right: math.NaN()}).Expected(); ok {
		t.Error("something is expected of what nothing tells")
	}
}

// A group of threads that was hardly met does as all do: one acquisition of its own weighs
// as much as a third of those.
func TestFewCountsSayLittleOfAGroup(t *testing.T) {
	k := &kin{stacks: make([]format.StackID, 2), mixes: []renewal.Mix{{500, 500}, {1, 0}, {1000, 0}}}
	for range 2 * renewal.Trust {
		k.gaps = append(k.gaps, renewal.Gap{Site: 0, Length: 1000})
	}
	k.learn(nil)
	share := func(m renewal.Mix) float64 { return m[1] / (m[0] + m[1]) }
	if few, many := share(k.mixes[1]), share(k.mixes[2]); few < 0.32 || few > 0.4 || many > 0.02 {
		t.Errorf("%.3f of a group met once, %.3f of one met often", few, many)
	}
}

// However many call sites have a part, few stretches are charged, and in the
// long run each call site has its due.
func TestManyCallSitesShareFewStretches(t *testing.T) {
	const sites, rounds = 30, 1000
	b := &builder{charging: &charging{}, s: &section{busy: []span{{0, maxTime}}}, kin: &kin{stacks: make([]format.StackID, sites)}, length: 1, waiterCounts: waiterCounts{starts: sums{0}, ends: sums{0}}}
	by := make([]int64, sites)
	for s := range by {
		b.kin.stacks[s] = format.StackID(s + 1)
		by[s] = int64(100 + s)
	}
	at := int64(0)
	for range rounds {
		at = b.spread(at, by, 0)
	}
	if len(b.out) > 2*rounds {
		t.Errorf("%d stretches in %d rounds", len(b.out), rounds)
	}
	got := map[format.StackID]int64{}
	for _, o := range b.out {
		got[o.Holder.Stack] += o.End - o.Start
	}
	for s, ns := range by {
		if want := ns * rounds; math.Abs(float64(got[format.StackID(s+1)]-want)) > 0.05*float64(want) {
			t.Errorf("call site %d has %d, want %d", s, got[format.StackID(s+1)], want)
		}
	}
}

// A section has a stretch of its own from an eighth of what is divided on; so
// that a few large ones and many small ones stay readable.
func TestLargeSectionsHaveAStretchOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		by      []int64
		typical int64
		want    int
	}{{[]int64{850, 150}, 0, 2}, {[]int64{900, 100}, 0, 2}, {[]int64{810, 100, 90}, 0, 2}, {[]int64{700, 150, 150}, 0, 3}, {[]int64{50, 50}, 600, 1}, {[]int64{100, 100}, 600, 2}} {
		b := &builder{charging: &charging{}, s: &section{busy: []span{{0, maxTime}}}, kin: &kin{stacks: []format.StackID{1, 2, 3}}, typical: c.typical, length: 1, waiterCounts: waiterCounts{starts: sums{0}, ends: sums{0}}}
		if b.spread(0, c.by, 0); len(b.out) != c.want {
			t.Errorf("%d, of %d usually: %d stretches, want %d", c.by, c.typical, len(b.out), c.want)
		}
	}
}

// What is seen twice as often while its thread owns the lock is done inside.
func TestOwnersAreSeenOftenerAtWhatIsInside(t *testing.T) {
	w := &witnesses{inside: 100, total: 1100}
	for _, c := range []struct {
		inside, outside int
		want            bool
	}{{30, 30, true}, {30, 100, true}, {30, 200, false}, {30, 300, false}, {2, 0, false}} {
		if got := w.is(&witness{part: part{1, -1}, inside: c.inside, total: c.inside + c.outside}); got != c.want {
			t.Errorf("%d of 100 samples of owners, %d of 1000 others: %v", c.inside, c.outside, got)
		}
	}
}
