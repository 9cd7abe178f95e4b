package owners

import (
	"cmp"
	"slices"
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
)

// However many there are, and whichever are remembered, a number stands for what it
// was given for.
func TestDoersAreWhatTheyWere(t *testing.T) {
	var s doers
	const all = 3 * recentDoers
	numbers := map[doer]uint32{}
	for round := range 2 {
		for i := range uint32(all) {
			d := doer{stack: format.StackID(i % 977), lock: format.ObjectID(i % 13), info: i}
			n := s.number(d)
			if round == 0 {
				numbers[d] = n
			}
			if *s.all.At(n) != d {
				t.Fatalf("%+v is number %d, which is %+v", d, n, *s.all.At(n))
			}
		}
	}
	list := s.list()
	for d, n := range numbers {
		if list[n] != d {
			t.Fatalf("%d is %+v, was %+v", n, list[n], d)
		}
	}
}

// Waits that end in order but for few, and such as end the other way round, give the
// acquisitions in order of time; of one time, as they began.
func TestAcquisitionsAreInOrder(t *testing.T) {
	for name, end := range map[string]func(i int64) int64{
		"in order": func(i int64) int64 { return 1000 + i },
		"one late": func(i int64) int64 { return 1000 + i + i/150*1000 },
		"in pairs": func(i int64) int64 { return 1000 + i ^ 1 },
		"a few":    func(i int64) int64 { return 1000 + i - i%50*2 },
		"backward": func(i int64) int64 { return 1000 - i/2 },
	} {
		ev := &evidence{Activities: &Activities{store: &store{what: []doer{{}}}}}
		var waits lockWaits
		for i := range int64(200) {
			waits = append(waits, lockWait{start: i, end: end(i), thread: format.ThreadID(i)})
		}
		got, _ := ev.acquisitions(waits, nil)
		slices.SortStableFunc(waits, func(a, b lockWait) int { return cmp.Compare(a.end, b.end) })
		for i := range got {
			if got[i].time != waits[i].end || got[i].thread != waits[i].thread {
				t.Fatalf("%s: the %d. is of %d at %d, want %d at %d", name, i, got[i].thread, got[i].time, waits[i].thread, waits[i].end)
			}
		}
	}
}

// Of small inputs those with thirty thousand waits or a thousand locks in all are
// inferred together, and not twice as many.
func TestHowManySmallInputsAreInferredTogether(t *testing.T) {
	for waits, want := range map[int]int{0: 1000, 1000: 32} {
		r, all := NewRecord(), make([]format.ObjectID, 5000)
		list, same := make([][]column.Ref, len(all)), make([]column.Ref, waits)
		for l := range all {
			all[l], r.inputOf, list[l] = format.ObjectID(l), append(r.inputOf, uint32(l)), same
		}
		ev := &evidence{Activities: &Activities{Record: r, byLock: list}}
		if n := ev.together(all); n < want*3/4 || n > want*3/2 {
			t.Errorf("%d locks of %d waits, want some %d", n, waits, want)
		}
	}
}

// What ended while somebody waited is inside if the lock was acquired promptly three
// times as often as late.
func TestHowOftenPromptly(t *testing.T) {
	for _, c := range []struct{ promptly, late, want int }{{7, 2, 7}, {5, 2, 0}, {3, 0, 3}, {2, 0, 0}} {
		if got := (&preexisting{promptly: c.promptly, late: c.late}).fits(); got != c.want {
			t.Errorf("%d promptly, %d late: %d speak for it, want %d", c.promptly, c.late, got, c.want)
		}
	}
}

// sleeping is a thread that sleeps a hundred times for 160 ns, somebody waiting, and the
// acquisitions that come so long after the begin of the first.
func sleeping(ends ...int64) (*evidence, siteList, *section) {
	r := NewRecord()
	for i := range int64(100) {
		ev := format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 2, Stack: 3, Time: 1e6 * i, End: 1e6*i + 160}
		r.Add(&ev, ev.End)
	}
	r.Add(&format.Event{Kind: format.KindWait, Thread: 9, Object: 1, Stack: 4, Time: 5e8, End: 5e8 + 1}, 5e8+1) // which names nobody
	a := r.Arrange(monitors{}.Kind)
	a.indexing.Wait()
	s := &section{busy: []span{{-1e6, 1e9}}, permits: true}
	for _, end := range ends {
		s.acquired = append(s.acquired, acquisition{time: end, thread: 9, doer: uint32(len(a.what))})
	}
	ev := a.evidence(monitors{})
	a.what = append(a.what, doer{lock: 1})
	return ev, a.activitiesAt(callSite{stack: 3}, 1), s
}

// What is moved by two, three and five times its length, either way, is seen to fit by
// chance.
func TestWhereActivitiesAreMovedTo(t *testing.T) {
	var ends []int64
	for _, by := range []int64{-5, -3, -2, 2, 3, 5} {
		ends = append(ends, 160+160*by+1)
	}
	ev, list, s := sleeping(ends...)
	if list.n != 100 {
		t.Fatalf("%d activities", list.n)
	}
	if !ev.fitByChance(s, callSite{stack: 3}, 10, 6*160-1) || ev.fitByChance(s, callSite{stack: 3}, 10, 6*160) {
		t.Error("it does not fit six times")
	}
}

// Of a lock that several may hold, what comes twice as long after as is usual has to do
// with what was done.
func TestTheWindowIsTwiceTheUsualLag(t *testing.T) {
	ev, list, s := sleeping(160+4, 1e6+160+4, 2e6+160+4)
	if got := ev.window(s, list); got != 8 {
		t.Errorf("%d, want 8", got)
	}
}

// Between two samples the first tells up to half way.
func TestASampleTellsUpToHalfWayToTheNext(t *testing.T) {
	b := &builder{charging: &charging{}, ev: &evidence{Activities: &Activities{}}, kin: &kin{witnesses: &witnesses{family: newFamily(monitors{}, nil, anySite)}}, s: &section{}, waiterCounts: waiterCounts{starts: sums{0}, ends: sums{0}}}
	b.hit(&Ownership{Start: 0, End: 100}, []sample{{time: 20, thread: 1, stack: 1}, {time: 60, thread: 2, stack: 1}})
	if len(b.out) != 2 || b.out[0].End != 40 || b.out[1].Start != 40 || b.out[1].End != 100 {
		t.Errorf("%+v", b.out)
	}
}

// Of the longest part half pays for what was put off, the rest later.
func TestHalfOfTheLongestPartPays(t *testing.T) {
	d, met := dues{met: []int64{5000}}, []int64{100}
	if _, free := d.thin(0, met, nil, 900, func() int64 { return 1000 }); met[0] != 550 || free != 450 {
		t.Errorf("%d are met, %d free", met[0], free)
	}
}

// Of eighty samples four may contradict what is inferred, and as many more as chance
// lets, nine in all; not ten.
func TestHowManySamplesMayContradict(t *testing.T) {
	for wrong, want := range map[float64]bool{8.5: true, 10: false} {
		l := tallies{kinds: []claimed{{prov: Inferred}}, list: []*tally{{sum: 80, squares: 80, agree: 80 - wrong}}}
		if got := l.believed(0, true) == 1; got != want {
			t.Errorf("%v of 80 contradict: believed %v", wrong, got)
		}
	}
}

// Gaps are tallied in runs of some dozens, so that one tells how sections divide.
func TestHowLongRunsAre(t *testing.T) {
	n := 0
	for isTallied(n, 2) {
		n++
	}
	if n < 40 || n > 100 {
		t.Errorf("%d", n)
	}
}

// A part of the program is exclusive that is sampled beside sections a quarter as often
// as by chance.
func TestHowSeldomIsSeldom(t *testing.T) {
	for together, want := range map[int]bool{10: true, 20: false} { // of fifty by chance
		p := &witness{total: 50}
		r := &rounds{n: 100, inside: 50, together: map[*witness]int{p: together}}
		if got := r.exclusive(p); got != want {
			t.Errorf("%d times together: exclusive %v", together, got)
		}
	}
}

// Who only tries a lock may run for most of the time: then what it does cannot be twice as
// much of the samples taken while others wait, and is seen inside oftener all the same,
// compared with all else. What goes on beside sections is so, too, since those who wait do
// not run: it is sampled beside itself and them.
func TestWhatIsSampledMostMayBeASection(t *testing.T) {
	for _, c := range []struct {
		inside, pairs, together int
		is                      bool
	}{
		{80, 100, 15, true},
		{80, 100, 20, false}, // as by chance
		{80, 8, 0, false},    // which may be none
		{66, 100, 15, true},
		{60, 100, 15, false}, // not oftener than others
	} {
		k := &kin{stacks: make([]format.StackID, 1), acquired: 100, seen: 50}
		p := &witness{part: part{key: 1, site: -1}, inside: c.inside, total: 500}
		section := &witness{part: part{key: 2}, total: 100}
		k.witnesses = &witnesses{list: []*witness{p, section}, inside: 100, total: 1000}
		r := &rounds{n: 900, pairs: c.pairs, inside: 100, together: map[*witness]int{p: c.together}}
		if k.witnesses.is(p) {
			t.Fatal("it is seen twice as often inside")
		}
		if is := k.witnesses.displaces(p) && r.excludes(p, 1000); is != c.is {
			t.Errorf("%+v: %v", c, is)
		}
	}
}
