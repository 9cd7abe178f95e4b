package owners

import (
	"math"
	"testing"

	"contend/format"
)

// showing returns a tally of samples that show so many times each of some classes, the
// first of which is what is claimed.
func showing(times ...int) *tally {
	t := &tally{}
	for k, n := range times {
		for range n {
			t.add(class{isPart, uint64(k + 1)}, 1, 0, k == 0)
		}
	}
	return t
}

// What is claimed is as right as samples in stretches claimed alike agree. Of few of these
// those in all that is estimated tell more, and of few at all half is right.
func TestClaimsAreAsRightAsSamplesAgree(t *testing.T) {
	estimated := func(key uint64) claimed { return claimed{class: class{isPart, key}, prov: Estimated} }
	for _, c := range []struct {
		list []*tally
		i    int
		want float64
	}{
		{[]*tally{showing(160, 40)}, 0, 0.79},
		{[]*tally{showing(160, 40)}, -1, 0.79},
		{[]*tally{showing(16, 4), showing(180)}, 0, (16 + 5*0.97) / 25},
		{[]*tally{showing(0, 1), showing(180)}, 0, 5 * 0.98 / 6},
		{[]*tally{showing(1)}, 0, (1 + 5*3.5/6) / 6},
		{nil, -1, 0.5},
	} {
		l := &tallies{list: c.list}
		for k := range c.list {
			l.kinds = append(l.kinds, estimated(uint64(k)))
		}
		if got := l.right(c.i); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%d of %d tallies: %.3f, want %.3f", c.i, len(c.list), got, c.want)
		}
	}
}

// What is charged to whom samples show instead is as right as the others of these say: of
// one that nothing confirms hardly any is.
func TestASampleDoesNotConfirmItself(t *testing.T) {
	l := &tallies{kinds: []claimed{{class: class{isPart, 1}, prov: Estimated}}, list: []*tally{showing(100, 1, 99)}}
	if got := l.rightOf(0, 1); got > 0.01 {
		t.Errorf("shown once of 200: %.3f", got)
	}
	if got := l.rightOf(0, 2); math.Abs(got-0.49) > 0.01 {
		t.Errorf("shown 99 times of 200: %.3f", got)
	}
}

// What a hundred samples say of a half may be off by a tenth, and of all by little.
func TestFewSamplesMayBeOff(t *testing.T) {
	for _, c := range []struct {
		agree, not int
		want       float64
	}{{50, 50, 0.1}, {5, 5, 0.26}, {1000, 0, 0.01}} {
		l := &tallies{kinds: []claimed{{class: class{isPart, 1}, prov: Estimated}}, list: []*tally{showing(c.agree, c.not)}}
		if got := l.off(); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%d agree and %d do not: off by %.3f, want %.3f", c.agree, c.not, got, c.want)
		}
	}
}

// Dumps that an expectation draws on correct it no more; others do.
func TestDumpsAreCountedOnce(t *testing.T) {
	for already, want := range map[bool]float64{true: 0.9, false: 0.5} {
		tr := Trust{Ns: 1000, Right: 900}
		for i := range 100 {
			tr.Seen.add(1, i%5 < 2)
		}
		if already {
			tr.drawn.add(&drawn{ns: 1000, right: 900, seen: tr.Seen})
		}
		if got, _ := tr.Expected(); math.Abs(got-want) > 0.01 {
			t.Errorf("drawn on %v: %.3f, want %.3f", already, got, want)
		}
	}
}

// What a sample shows is carried on as surely as samples that follow each other show the same,
// half way to the next one at most; what so few show is as likely as not. After it its owner is
// sooner gone, where it is not claimed to stay. What is inferred and confirmed by a sample is known all through.
func TestASampleTellsTheLessTheFartherAStretchReaches(t *testing.T) {
	for _, c := range []struct {
		prov          Provenance
		to            format.StackID // where 7 is claimed
		at            int64          // of 100
		apart         int64
		follow, agree int64
		want          float64
	}{
		{Estimated, 7, 100, 1e9, 95, 0, 0.95},
		{Estimated, 7, 100, 100, 95, 0, 0.95 - 0.5*0.925},
		{Estimated, 8, 100, 100, 95, 0, 0.95 - 0.5*0.925},
		{Estimated, 7, 0, 100, 95, 0, 0.95 - 0.5*0.925},
		{Estimated, 8, 0, 100, 95, 0, 0.95 - 0.75*0.925},
		{Estimated, 8, 0, 1e9, 95, 0, 0.95 - 0.5*0.925},
		{Estimated, 8, 50, 100, 95, 0, 0.95 - (0.25+0.625)/2*0.925},
		{Estimated, 8, 0, 100, 95, 95, 0.95 - 0.75*0.0},
		{Estimated, 8, 100, 100, 0, 0, 0.95 - 0.5*0.45},
		{Estimated, 8, 100, 20, 95, 0, 0.95 - 0.5*0.925},
		{Estimated, 0, 0, 100, 95, 0, 0.95 - 0.5*0.925}, // nobody
		{Inferred, 7, 0, 100, 95, 0, 0.9975},
		{Inferred, 8, 100, 100, 95, 0, 0.95 - 0.5*0.925},
	} {
		k := &kin{witnesses: &witnesses{family: newFamily(monitors{}, nil, anySite)}}
		k.shown.follows[Thread] = Agreement{Asked: c.follow, Agrees: c.agree}
		k.shown.follows[Handoff] = k.shown.follows[Thread]
		b := &builder{charging: &charging{}, ev: &evidence{Activities: &Activities{}, distance: c.apart}, kin: k, s: &section{}, waiterCounts: waiterCounts{starts: sums{0, 0}, ends: sums{0, 1000}, at: minTime}}
		s := sample{time: c.at, thread: 1, stack: c.to}
		if c.to == format.NoStack {
			s.thread = format.NoThread
		}
		b.hit(&Ownership{Start: 0, End: 100, Holder: Holder{Kind: Thread, Prov: c.prov, Thread: 1, Stack: 7}}, []sample{s})
		if got := b.trust[Sampled].Right / 100; math.Abs(got-c.want) > 0.004 {
			t.Errorf("%+v: %.3f", c, got)
		}
	}
}

// Samples follow each other where nobody is known to have got the lock in between.
func TestSamplesThatFollowEachOther(t *testing.T) {
	b := &builder{ev: &evidence{shown: [][]sample{{{10, 1, 7}, {20, 1, 7}, {30, 2, 8}, {40, 0, 0}, {60, 0, 0}, {70, 3, 7}}}}, kin: &kin{witnesses: &witnesses{family: newFamily(monitors{}, nil, anySite)}},
		s: &section{acquired: []acquisition{{time: 5}, {time: 25}, {time: 50}}}}
	l := &tallies{}
	b.follow(l)
	if own, free := l.follows[Thread], l.follows[Handoff]; own.Asked != 2 || own.Agrees != 1 || free.Asked != 1 || free.Agrees != 0 {
		t.Errorf("%+v after somebody, %+v after nobody", own, free)
	}
}
