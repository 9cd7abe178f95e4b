package owners

import (
	"math/rand/v2"
	"testing"

	"contend/format"
)

// asked returns what claims answer of which a part names an owner, where so many came
// of whom a part met one that is claimed.
func asked(owned float64, came int, met float64) *answers {
	a := &answers{}
	a.claim(int64(1000*owned), true)
	a.claim(int64(1000*(1-owned)), false)
	for i := range came {
		a.meet(3, float64(i) < met*float64(came))
	}
	return a
}

// Claims know of single stretches where those who came met owners oftener than by
// chance; 25 that did are half believed.
func TestWhoCameTellsWhetherClaimsKnowSingleStretches(t *testing.T) {
	for _, c := range []struct {
		owned    float64
		came     int
		met      float64
		want     float64
		whatElse string
	}{
		{0.4, 10000, 0.4, 0, "by chance"},
		{0.4, 10000, 0.2, 0, "less than by chance"},
		{0.4, 10000, 1, 1, "always"},
		{0.4, 10000, 0.7, 0.5, "half of what chance leaves"},
		{0.5, 25, 1, 0.5, "always, of few"},
		{0.5, 0, 0, 0, "nobody came"},
		{1, 1000, 1, 0, "all is claimed to be owned"},
	} {
		if got := asked(c.owned, c.came, c.met).skill(); !near(got, c.want) {
			t.Errorf("%s: %.2f, want %.2f", c.whatElse, got, c.want)
		}
	}
}

// filled returns a pool half of which is nobody's, of whose acquisitions a share was
// recorded.
func filled(seen float64) *pool {
	p := &pool{}
	p.add(1, 500, 0.6, 1, seen)
	p.add(format.NoStack, 500, 0.6, 1, seen)
	return p
}

// What is claimed of a rest is as right as its sums are by chance where nothing is known of
// single gaps, and as the model expects it to be one where all is.
func TestSkillTellsHowFarARestIsRight(t *testing.T) {
	for met, want := range map[float64]float64{0.5: 0.5, 0.75: 0.75, 1: 1} {
		p := filled(1)
		p.said = *asked(0.5, 10000, met)
		tr := Trust{Ns: 1000}
		tr.settle(p.settled())
		if got, _ := tr.Expected(); !near(got, want) {
			t.Errorf("%.2f met the owner that is claimed: %.2f expected, want %.2f", met, got, want)
		}
		if low, high := tr.Bounds(); low > want || high < want-0.01 {
			t.Errorf("%.2f is not from %.2f to %.2f", want, low, high)
		}
	}
}

// Of what the recorder left out samples tell: five weigh as much as knowing nothing, which is
// two in five for an owner and one for nobody.
func TestSamplesTellOfWhatIsHidden(t *testing.T) {
	for _, c := range []struct {
		shown, agree int
		want         float64
	}{{0, 0, 0.3}, {5, 5, 0.65}, {5, 0, 0.15}, {500, 400, 0.8}} {
		p := filled(0)
		for i := range c.shown {
			p.said.show(i < c.agree)
		}
		tr := Trust{Ns: 1000}
		tr.settle(p.settled())
		if got, _ := tr.Expected(); !near(got, c.want) {
			t.Errorf("%d of %d samples agree: %.2f, want %.2f", c.agree, c.shown, got, c.want)
		}
	}
}

// Who came last is held back alone: claims without it know of the one before.
func TestWhoCameLastIsHeldBack(t *testing.T) {
	r := NewRecord()
	for _, at := range []int64{10, 20, 40} {
		r.Add(&format.Event{Kind: format.KindWait, Time: at, Thread: 1, Object: 1}, 100)
	}
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor })
	a.indexing.Wait()
	ev := &evidence{Activities: a}
	b := &builder{ev: ev, kin: &kin{}, waiterCounts: countsOf(a)}
	for without, want := range map[heldBack]int64{nothing: 35, theSamples: 35, theLast: 15} {
		b.without = without
		if got := b.lastCame(5, 90); got != want || b.cameLast != 40 {
			t.Errorf("without %d: came last %d ns in, want %d; %d is held back", without, got, want, b.cameLast)
		}
	}
}

// Gaps in which nobody came while somebody else waited are not asked about who came last: it
// would tell nothing of them.
func TestWhereNobodyCameNobodyIsAskedAbout(t *testing.T) {
	random, r := rand.New(rand.NewPCG(1, 2)), NewRecord()
	for at := int64(0); at < 1e7; at += 1 + random.Int64N(2000) {
		w := format.Event{Kind: format.KindWait, Time: at, Thread: format.ThreadID(1 + random.IntN(4)), Object: 1, Stack: format.StackID(1 + random.IntN(3))}
		r.Add(&w, at+1+random.Int64N(3000))
	}
	a := r.Arrange(monitors{}.Kind)
	a.indexing.Wait()
	ev := a.evidence(monitors{})
	_, b := ev.infer(1)
	ev.learn([]*section{b.s})
	ev.relate([]*builder{b}, ev.samples(), ev.divide)
	b.prepare()
	var asked, not int
	b.gaps(func(g *gap) {
		before := b.pools
		b.askWithout(theLast, func() { b.tentatively(g) })
		told := false
		for i := range b.pools {
			told = told || b.pools[i].said != before[i].said
		}
		if asked++; !b.comes(g) {
			not++
			if told {
				t.Fatalf("from %d to %d nobody came, and it tells something", g.lo, g.hi)
			}
		}
	})
	if b.kin.model == nil || not < asked/4 || not > asked*3/4 {
		t.Errorf("of %d gaps in %d nobody came", asked, not)
	}
}

// Of a stretch that begins with an owner who is gone when it ends half is its own, as
// far as nothing tells; so it may be all or nothing.
func TestWhatNothingTellsIsHalfRight(t *testing.T) {
	ev := &evidence{Activities: &Activities{}}
	b := &builder{charging: &charging{}, ev: ev, kin: &kin{}, s: &section{busy: []span{{0, 1000}}}, waiterCounts: waiterCounts{starts: sums{0, 0}, ends: sums{0, 1000}, at: minTime}}
	b.suppose(0, 1000, anchor{0, 0, 1, 1, Inferred, none}, 0)
	tr := &b.trust[Estimated]
	if tr.Ns != 1000 || !near(tr.Right/1000, 0.5) || !near(tr.Low/1000, 0) || !near(tr.High/1000, 1) {
		t.Errorf("%+v", *tr)
	}
}

// Long recordings are asked about some of their gaps.
func TestSoManyGapsAreAskedAbout(t *testing.T) {
	for acquired, want := range map[int]int{100: 1, 8191: 1, 1 << 16: 9} {
		if got := oneAsked(acquired); got != want {
			t.Errorf("of %d gaps one in %d, want %d", acquired, got, want)
		}
	}
}

// Of the stacks samples show of one class 64 are kept, by a lock and by its kind.
func TestSoManyStacksOfAClassAreKept(t *testing.T) {
	var one, kind tally
	for i := range 200 {
		one.add(class{isPart, 1}, 1, format.StackID(i), true)
	}
	kind.merge(&one)
	kind.merge(&one)
	if len(one.stacks[0]) != 64 || len(kind.stacks[0]) != 64 || kind.samples != 400 {
		t.Errorf("%d of a lock and %d of its kind", len(one.stacks[0]), len(kind.stacks[0]))
	}
}
