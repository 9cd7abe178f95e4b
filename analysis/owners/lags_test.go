package owners

import (
	"math"
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// What was seen often enough bounds what is next to an activity; what was not is
// supposed, and as good as a guess.
func TestNextToWhatIsKnownAsMuchAsIsSeenOfItsLike(t *testing.T) {
	var l lags
	for _, ns := range []int64{20, 10, 40, 10, 20} {
		l.add(7, ns)
	}
	l.settle()
	for _, c := range [][2]int64{{5, 5}, {20, 16}, {100, 20}} {
		if got := within(l.before[7], c[0]); got != c[1] {
			t.Errorf("of %d: %d, want %d", c[0], got, c[1])
		}
	}
	if got := mostly(96, 100); got != 100 {
		t.Errorf("a rest as short as the tolerance is left out: %d", got)
	}
	if got := mostly(90, 100); got != 90 {
		t.Errorf("a rest longer than the tolerance is one: %d", got)
	}
}

// The section lasts about as long as others from what was seen inside to its ends;
// the rest of a long stretch is not its thread's.
func TestALongApproachIsNotTheOwners(t *testing.T) {
	var l lags
	for range 8 {
		l.add(7, 100)
	}
	l.settle()
	b := &builder{charging: &charging{}, s: &section{}, kin: &kin{lags: l}}
	a := anchor{start: 5000, end: 6000, stack: 7}
	if got := b.took(a, 4000); got != 100 {
		t.Errorf("of 4000 before it: %d, want 100", got)
	}
	a.stack = 8
	if got := b.took(a, 4000); got != 4000 {
		t.Errorf("where nothing tells: %d, want all", got)
	}
	b.s.shared = true
	if a.stack = 7; b.took(a, 4000) != 4000 {
		t.Error("readers have it together")
	}
}

// Between two sections that are known a lock was free, unless one of them, either, is
// less well known than it seems.
func TestBetweenKnownSectionsTheLockWasFree(t *testing.T) {
	b := &builder{charging: &charging{}, s: &section{}, kin: &kin{}, tallied: []int64{}, known: 1}
	if b.vacant(0, 100); b.right < 0.88 || b.right > 0.92 {
		t.Errorf("%v of it is expected to be right", b.right)
	}
}

// How much of a stretch after an activity inside is its owner's, such stretches tell, not
// those before one; the rest is divided as what follows any section.
func TestAfterAnActivityTheOwnerHasWhatSuchStretchesTell(t *testing.T) {
	var gaps []renewal.Gap
	wake := func(i int64) int64 { return int64(-40e3 * math.Log((float64(i%100)+0.5)/100)) }
	for i := range 400 {
		gaps = append(gaps, renewal.Gap{Site: i % 2, Length: int64(5e3+195e3*float64(i%2)) + wake(int64(i/2))})
	}
	var l lags
	for i := range int64(200) {
		l.leave(7, wake(i))       // it is over with what is seen
		l.leave(8, 300e3+wake(i)) // it goes on for 300 us
	}
	m := renewal.Learn(&renewal.Data{Gaps: gaps, Recorded: 1}, 2, []renewal.Mix{{1, 1}})
	l.learn(m)
	for _, c := range []struct {
		stack     int
		length    int64
		least, at float64 // of it the owner's
	}{{7, 50e3, 0, 0.45}, {8, 350e3, 0.7, 1}, {7, 90e6, 0, 0.6}, {9, 50e3, 1, 1}} {
		ev := &evidence{Activities: &Activities{}}
		b := &builder{charging: &charging{}, ev: ev, now: &gap{}, known: 1, seen: 1, splitter: m.Splitter(), s: &section{busy: []span{{0, 1e9}}}, waiterCounts: waiterCounts{starts: sums{0, 0}, ends: sums{0, 1e9}, at: minTime},
			kin: &kin{lags: l, model: m, stacks: []format.StackID{1, 2}, witnesses: &witnesses{}}}
		b.suppose(2000, 2000+c.length, anchor{1000, 2000, 1, format.StackID(c.stack), Inferred, none}, 0)
		own, all := int64(0), int64(0)
		for _, o := range b.out {
			all += o.End - o.Start
			if o.Holder.Stack == format.StackID(c.stack) {
				own += o.End - o.Start
			}
		}
		if part := share(own, c.length); all != c.length || part < c.least || part > c.at {
			t.Errorf("stack %d: %.2f of %d ns are the owner's, want %.2f to %.2f; %d are charged", c.stack, part, c.length, c.least, c.at, all)
		}
		if right := b.trust[Estimated].Right / float64(max(own, 1)); c.stack == 9 && right != halfway {
			t.Errorf("half is right as far as nothing tells, not %.2f", right)
		}
		if b.suppose(100, 900, anchor{1000, 2000, 1, format.StackID(c.stack), Inferred, none}, 0); b.right != halfway {
			t.Errorf("before an activity half is right as far as nothing tells, not %.2f", b.right)
		}
	}
}

// Who a sample shows has the lock for as long as such sections still take. What is longer is
// doubted, though the same thread has it again where it ends; not after an activity of its own,
// nor where nothing is known of such sections.
func TestASampleTellsNoMoreThanAnInstant(t *testing.T) {
	var gaps []renewal.Gap
	for i := range 400 {
		gaps = append(gaps, renewal.Gap{Length: 100e3 - int64(1e6*math.Log((float64(i%100)+0.5)/100))})
	}
	m := renewal.Learn(&renewal.Data{Gaps: gaps, Recorded: 1}, 1, []renewal.Mix{{1}})
	for _, c := range []struct {
		prov        Provenance
		length      int64
		model       *renewal.Model
		least, most int64 // of what is so known
	}{
		{Sampled, 2e6, m, 20e3, 1e6},
		{Sampled, 60e3, m, 20e3, 60e3},
		{Sampled, 2e6, nil, 2e6, 2e6},
		{Inferred, 2e6, m, 0, 0},
	} {
		b := &builder{charging: &charging{}, ev: &evidence{Activities: &Activities{}}, now: &gap{}, known: 1, seen: 1, splitter: m.Splitter(), s: &section{busy: []span{{0, 1e9}}},
			waiterCounts: waiterCounts{starts: sums{0, 0}, ends: sums{0, 1e9}, at: minTime}, kin: &kin{model: c.model, stacks: []format.StackID{1}, witnesses: &witnesses{}}}
		b.kept(anchor{1000, 1000, 1, 7, c.prov, none}, anchor{start: 1000 + c.length, end: 1000 + c.length, thread: 1}, 1000, 1000+c.length)
		sampled, all := int64(0), int64(0)
		for _, o := range b.out {
			if all += o.End - o.Start; o.Holder.Prov == Sampled {
				sampled += o.End - o.Start
			}
		}
		if all != c.length || sampled < c.least || sampled > c.most {
			t.Errorf("%v of %d ns: %d are sampled, of %d charged", c.prov, c.length, sampled, all)
		}
	}
}
