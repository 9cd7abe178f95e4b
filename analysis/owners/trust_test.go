package owners

import (
	"math"
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// near reports whether a share is what is wanted, but for a twentieth of all.
func near(got, want float64) bool { return math.Abs(got-want) < 0.05 }

// Sources disagree beyond three standard deviations, and of what is all but sure
// a few dumps are let pass.
func TestSourcesDisagreeBeyondChance(t *testing.T) {
	for _, c := range []struct {
		want, saw float64
		disagrees bool
	}{{0.5, 0.36, false}, {0.5, 0.64, false}, {0.5, 0.34, true}, {0.5, 0.66, true}, {1, 0.975, false}, {1, 0.96, true}} {
		tr := Trust{Ns: 1000, Right: 1000 * c.want, Seen: Agreement{100, 1000, int64(1000 * c.saw), 10_000}}
		if _, _, got := tr.Disagrees(); got != c.disagrees {
			t.Errorf("%.0f %% expected, %.1f %% seen in 100 dumps: disagrees is %v", 100*c.want, 100*c.saw, got)
		}
	}
}

// Dumps weigh as much as the inference itself when there are 25.
func TestSomeDumpsWeighAsMuchAsTheInference(t *testing.T) {
	tr := Trust{Ns: 1000, Right: 900, Seen: Agreement{25, 100, 50, 400}}
	if got, _ := tr.Expected(); !near(got, 0.7) {
		t.Errorf("%.2f, want 0.7", got)
	}
}

// A dump at which a thousand wait is one instant, as one at which one waits is.
func TestADumpIsOneInstantHoweverManyWait(t *testing.T) {
	tr := Trust{Ns: 1000, Right: 900}
	for range 30 {
		tr.Seen.add(1, true)
	}
	tr.Seen.add(1000, false)
	if got, _ := tr.Expected(); !near(got, 0.9) {
		t.Errorf("%.2f, want 0.9 but for one dump", got)
	}
}

// A model learnt from as few gaps as its first guess weighs is half believed;
// else the first owner, another one and nobody are as likely. One gap that is as long as
// all others together is half of what there is to learn from.
func TestAModelOfFewGapsIsHalfBelieved(t *testing.T) {
	b := &builder{charging: &charging{}}
	gaps := func(n int, longest int64) {
		list := make([]renewal.Gap, n)
		for i := range list {
			list[i].Length = 1000
		}
		list[0].Length = longest
		b.kin = &kin{gaps: list}
		b.known = b.kin.known()
	}
	gaps(renewal.Trust, 1000)
	if b.expect(1); !near(b.right, 0.5+0.5/3) || renewal.Trust != 5 {
		t.Errorf("%.2f, want %.2f", b.right, 0.5+0.5/3)
	}
	gaps(5000, 1000)
	if b.expect(0.8); !near(b.right, 0.8) {
		t.Errorf("%.2f, want 0.8", b.right)
	}
	gaps(5000, 5000*1000)
	if b.expect(1); !near(b.right, 4./9+5./27) {
		t.Errorf("one long gap: %.2f, want %.2f", b.right, 4./9+5./27)
	}
}

// The sums of a model are right before its gaps are: half a pool each to two
// call sites is right half the time, whatever the gaps promise.
func TestARestIsExpectedToBeRightAsItsSumsAre(t *testing.T) {
	fill := func(meant, seen float64) (tr Trust) {
		var p, q pool
		p.add(1, 500, 0.9, meant, seen)
		q.add(format.NoStack, 500, 0.9, meant, seen)
		p.merge(&q)
		tr.Ns = 1000
		tr.settle(p.settled())
		return tr
	}
	tr := fill(1, 1)
	if got, _ := tr.Expected(); !near(got, 0.5) {
		t.Errorf("%.2f, want 0.5", got)
	}
	if low, high := tr.Bounds(); !near(low, 0.5) || !near(high, 0.9) {
		t.Errorf("%.2f to %.2f, want 0.5 to 0.9", low, high)
	}
	tr = fill(0.6, 1)
	if low, _ := tr.Bounds(); !near(low, 0.3) {
		t.Errorf("where two in five are no such stretches, at least %.2f, want 0.3", low)
	}
	tr = fill(1, 0)
	if got, _ := tr.Expected(); !near(got, 0.3) {
		t.Errorf("where nothing was recorded: %.2f", got)
	}
	if low, high := tr.Bounds(); low > 0.01 || high < 0.99 {
		t.Errorf("where nothing was recorded: %.2f to %.2f", low, high)
	}
}

// Where samples contradict how much is free, as much as that half of what is left may be held.
func TestWhatSamplesContradictIsDoubtedMore(t *testing.T) {
	for _, c := range []struct{ free, untrue, want float64 }{
		{900, 0, 0.75*0.82 + 0.25*0.5}, {900, 1, 0.9*0.45 + 0.1*0.55}, {900, 0.5, 0.597}, {400, 1, 0.4*0.2 + 0.6*0.8}, {1000, 1, 0.5}, {0, 1, 1},
	} {
		p := pool{untrue: c.untrue}
		p.add(1, int64(1000-c.free), 0.9, 1, 1)
		p.add(format.NoStack, int64(c.free), 0.9, 1, 1)
		if got := p.settled().right / 1000; math.Abs(got-c.want) > 0.01 {
			t.Errorf("%+v: %.3f", c, got)
		}
	}
}

// A model that calls all but a tenth of some rests free is believed in three of four of
// them; in the others nobody has the lock half the time.
func TestHowMuchIsFreeIsNotAllBelieved(t *testing.T) {
	var p pool
	p.add(1, 100, 0.9, 1, 1)
	p.add(format.NoStack, 900, 0.9, 1, 1)
	if got, want := p.settled().right/1000, 0.75*0.82+0.25*0.5; math.Abs(got-want) > 0.02 {
		t.Errorf("%.3f, want %.3f", got, want)
	}
	p = pool{}
	p.add(1, 500, 0.9, 1, 1)
	p.add(2, 500, 0.9, 1, 1)
	if got := p.settled().right / 1000; !near(got, 0.5) {
		t.Errorf("two owners, and none of it free: %.3f", got)
	}
}

// What a recorder leaves out nothing tells of: the first owner, another one and nobody are
// as likely.
func TestWhatIsLeftOutIsAsLikelyEither(t *testing.T) {
	for _, st := range []format.StackID{1, format.NoStack} {
		var p pool
		p.add(st, 1000, 0.9, 1, 0)
		if got := p.settled().right / 1000; math.Abs(got-1./3) > 0.02 {
			t.Errorf("call site %d: %.3f, want a third", st, got)
		}
	}
}

// Where the ways to count others disagree, what is expected of the sums holds
// each: of a quarter that is one call site's a tenth or a half of all may be.
func TestDisagreementWidensTheDoubt(t *testing.T) {
	var p pool
	p.add(1, 250, 0.6, 1, 1)
	p.add(format.NoStack, 750, 0.6, 1, 1)
	p.least, p.most = 0.4, 2
	tr := Trust{Ns: 1000}
	tr.settle(p.settled())
	if got, _ := tr.Expected(); !near(got, 0.0625+0.5625) {
		t.Errorf("%.3f", got)
	}
	if low, high := tr.Bounds(); !near(low, 0.5) || !near(high, 0.25*0.1+0.75*0.9) {
		t.Errorf("%.3f to %.3f", low, high)
	}
	p.most = 100 // all of it
	tr = Trust{Ns: 1000}
	tr.settle(p.settled())
	if low, _ := tr.Bounds(); !near(low, 0.25) {
		t.Errorf("at least %.3f", low)
	}
}

// What is seen four times as often in owners is theirs three times in four.
func TestSamplesAreBelievedAsTheyExceedChance(t *testing.T) {
	w := &witnesses{inside: 100, total: 1100}
	for _, c := range []struct {
		site, inside, outside int
		want                  float64
	}{{-1, 40, 100, 0.75}, {-1, 20, 100, 0.5}, {-1, 5, 100, 0}, {0, 5, 100, 0.95}} {
		if got := w.chance(&witness{part: part{1, c.site}, inside: c.inside, total: c.inside + c.outside}); !near(got, c.want) {
			t.Errorf("%+v: %.2f", c, got)
		}
	}
}

// Waits of 20 ms and more, by 20 ms longer on average, are a third
// of all.
func TestLengthsTellHowManyWaitsWereLeftOut(t *testing.T) {
	r := NewRecord()
	for i := range int64(1000) {
		length := 20e6 - 20e6*math.Log(1-(float64(i)+0.5)/1000)
		r.Add(&format.Event{Kind: format.KindWait, Time: i * 1e9, Thread: 1, Object: 1}, i*1e9+int64(length))
	}
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor })
	a.indexing.Wait()
	waits := a.gather(a.byLock[1], nil)
	if got := waits.recordedShare(); !near(got, math.Exp(-1)) {
		t.Errorf("%.2f were recorded, want %.2f", got, math.Exp(-1))
	}
	c := countsOf(a)
	if got, want := c.during(0, 1000e9), int64(0); got == want {
		t.Errorf("%d ns of waiting", got)
	}
	for i := range int64(20) {
		w := a.Wait(a.byLock[1][i])
		if got := c.during(w.Start+1e6, w.Start+11e6); got != 10e6 {
			t.Errorf("wait %d: %d ns in 10 ms", i, got)
		}
	}
}

// countsOf counts the waits for lock 1.
func countsOf(a *Activities) waiterCounts {
	list := a.gather(a.byLock[1], nil)
	s := &section{starts: list.starts()}
	s.acquired, s.failed = (&evidence{Activities: a}).acquisitions(list, nil)
	return s.waiterCounts()
}
