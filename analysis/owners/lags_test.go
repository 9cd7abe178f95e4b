package owners

import "testing"

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
