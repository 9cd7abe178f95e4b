package owners

import (
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// What the model gives sections that stop is kept, and a little more; the rest is
// for those that run, as samples show them, as far as they are believed.
func TestSamplesDivideWhatTheModelGives(t *testing.T) {
	sh := &shares{weight: 0.8, stops: []bool{true, false, false}, factor: []float64{1.5, 1, 1}, by: []float64{0, 0.5, 0.25}, hidden: []hidden{{7, 0.25}}}
	by := []int64{200, 100, 700}
	left := sh.apply(by)
	// 300 stay, 700 are left: a fifth as the model says, 1 to 7, else as samples do
	if want := [...]int64{300, 297, 262}; [3]int64(by) != want || left != 141 {
		t.Errorf("%v and %d for hidden sections, want %v and 141", by, left, want)
	}
	if by = []int64{900, 50, 50}; sh.apply(by) != 0 || by[0] != 1000 || by[1] != 0 {
		t.Errorf("sections that stop are given %v, and there are 1000", by)
	}
	if by = []int64{5, 6, 7}; (*shares)(nil).apply(by) != 0 || [3]int64(by) != [...]int64{5, 6, 7} {
		t.Errorf("without samples: %v", by)
	}
}

// counted is a census of two sites and a part nobody waited at.
func counted(meets [3]int, seen float64) *census {
	k := &kin{stacks: make([]format.StackID, 2), acquired: 1000, seen: seen * 1000, locks: 2,
		mixes: []renewal.Mix{{9, 99}}, witnesses: &witnesses{inside: 60, total: 300}}
	for i, site := range []int{0, 1, -1} {
		k.witnesses.list = append(k.witnesses.list, &witness{part: part{key: uint64(i + 1), site: site}, stack: format.StackID(i + 1), meets: meets[i], inside: [...]int{5, 5, 50}[i], total: 100})
	}
	return (&evidence{Activities: &Activities{Record: NewRecord(), store: &store{}}}).take(k, 0.1, []bool{false, false}).count()
}

// Samples taken while somebody waited show the shares. Where there are few, who
// comes at any time meets a section as often as it is sampled, and for as long
// as it is each time.
func TestPartsOfSections(t *testing.T) {
	c := counted([3]int{600, 300, 100}, 0.5)
	for i, want := range []float64{0.6, 0.3, 0.1} {
		if got := c.part(c.parts[i]); !near(got, want) {
			t.Errorf("many samples: part %d has %.2f, want %.2f", i, got, want)
		}
	}
	c = counted([3]int{}, 0.5)
	for i, want := range []float64{0.09, 0.01, 0.9} { // they take the lock 10, 100 times and once
		if got := c.part(c.parts[i]); !near(got, want) {
			t.Errorf("no sample: part %d has %.2f, want %.2f", i, got, want)
		}
	}
}

// Beside samples the model is as one of them, however many gaps it knows. Of those that
// were not taken while somebody waited a few count.
func TestSamplesWeighMoreThanTheModel(t *testing.T) {
	for _, c := range []struct {
		meets, total int
		want         float64
	}{{0, 0, 0}, {0, 1, 0.5}, {0, 4, 0.8}, {0, 1000, 5.0 / 6}, {14, 1000, 0.95}, {1, 1, 2.0 / 3}} {
		if got := (&census{meets: float64(c.meets), samples: float64(c.total)}).weight(); !near(got, c.want) {
			t.Errorf("%+v: weight %.2f", c, got)
		}
	}
}

// A site that has less of all by the model than of the samples gets that, one
// that has more keeps it, since owners that sleep are not sampled.
func TestSectionsThatStopHaveNoLessThanSamplesShow(t *testing.T) {
	c := counted([3]int{500, 500, 0}, 0)
	c.stops = []bool{true, false}
	gives := func(ns ...int64) func() []int64 { return func() []int64 { return ns } }
	sh := c.shares(gives(100, 900))
	if f := sh.factor[0]; f < 4.5 || f > 5.5 {
		t.Errorf("a tenth of all for half of the samples: times %.1f", f)
	}
	if sh = c.shares(gives(900, 100)); sh.factor[0] != 1 {
		t.Errorf("nine tenths for half of the samples: times %.1f", sh.factor[0])
	}
	if c.stops = []bool{true, true}; !c.tells() { // there is a hidden one
		t.Error("nothing told of a hidden section")
	}
	if c.parts = c.parts[:2]; c.tells() {
		t.Error("something told of sections that stop")
	}
}

// A site no sample shows has what the model gives it.
func TestSitesWithoutSamples(t *testing.T) {
	k := &kin{stacks: make([]format.StackID, 2), mixes: []renewal.Mix{{1, 1}}, witnesses: &witnesses{}, locks: 2}
	k.witnesses.list = []*witness{{part: part{key: 1, site: 1}, total: 3}}
	if c := (&evidence{}).take(k, 0.1, []bool{false, false}); !c.stops[0] || c.stops[1] {
		t.Errorf("%v", c.stops)
	}
}

// Where all waits are recorded, a method that two threads are sampled in at a time does
// something else, too; and what nobody waited for is no section.
func TestSamplesOfMethodsThatDoMore(t *testing.T) {
	ev := &evidence{Activities: &Activities{Record: NewRecord(), store: &store{}}}
	for _, c := range []struct {
		alone         bool
		locks         int
		seen          float64
		sections, all int
	}{{true, 1, 1, 1, 1}, {false, 1, 1, 0, 0}, {false, 2, 1, 1, 1}, {false, 1, 0.5, 1, 2}} {
		section, hidden := &witness{part: part{key: 1}, total: 50, alone: c.alone}, &witness{part: part{key: 2, site: -1}, inside: 20, total: 20}
		k := &kin{stacks: make([]format.StackID, 1), acquired: 100, seen: 100 * c.seen, locks: c.locks,
			witnesses: &witnesses{list: []*witness{section, hidden}, inside: 20, total: 200}}
		got := ev.take(k, 1, []bool{false})
		if !got.stops[0] != (c.sections == 1) || len(got.parts) != c.all {
			t.Errorf("%+v: %d parts, the section stops: %t", c, len(got.parts), got.stops[0])
		}
	}
}

// Nine in ten waits recorded are as good as all.
func TestMostWaitsAreRecorded(t *testing.T) {
	for share, hides := range map[float64]bool{0.88: true, 0.92: false} {
		if k := (&kin{acquired: 100, seen: 100 * share}); k.hides() != hides {
			t.Errorf("%.0f %% recorded: hides is %v", 100*share, !hides)
		}
	}
}

// A part of the program that is sampled together with a section is none; nor is
// one two threads are in at a time. Samples 0.8 ms apart are of one round, those
// 1.5 ms apart are not.
func TestSectionsExcludeEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		apart     int64
		part      int // of the second thread: 1 a section, 2 the part in question, 3 anything else
		exclusive bool
	}{
		"with a section": {8e5, 1, false}, "with itself": {8e5, 2, false}, "with anything else": {8e5, 3, true},
		"in another round": {15e5, 1, true}, "itself in another round": {15e5, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			frame := func(m string) []format.Frame {
				return []format.Frame{{Class: "C", Method: m}, {Class: "C", Method: "loop"}}
			}
			sym := stacked{stacks: [][]format.Frame{nil, frame("section"), frame("part"), {{Class: "C", Method: "elsewhere"}}}}
			r := NewRecord()
			run := func(at int64, thread, stack int) {
				r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: at, Thread: format.ThreadID(thread), Stack: format.StackID(stack)}, at)
			}
			for i := range int64(40) {
				run(i*10e6, 1, 2)
				run(i*10e6+c.apart, 2, c.part)
				run(i*10e6+5e6, 3, 1)
			}
			ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
			w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
			for st, n := range []int{0, 40, 40, 0} {
				if p := w.family.of(format.StackID(st)); n > 0 {
					w.add(p, n, format.StackID(st))
				}
			}
			p := w.at(2)
			k := &kin{input: ev.inputOfThread(1), witnesses: w}
			if got := ev.rounds(k).exclusive(p); p.site >= 0 || got != c.exclusive {
				t.Errorf("a section: %v", got)
			}
		})
	}
}

// asking counts how often it is asked for the frames of stacks.
type asking struct {
	stacked
	asked *int
}

func (c asking) Application(id format.StackID) []format.Frame {
	*c.asked++
	return c.stacked.Application(id)
}

// There may be as many kinds of locks as stacks: each looks at a stack once, and not
// at each of its samples.
func TestAStackIsLookedAtOnceForItsSamples(t *testing.T) {
	asked := 0
	sym := asking{stacked{stacks: [][]format.Frame{nil, {{Class: "C", Method: "section"}}, {{Class: "C", Method: "elsewhere"}}}}, &asked}
	r := NewRecord()
	for at := range int64(1000) {
		r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: at * 1e6, Thread: 1, Stack: 1 + format.StackID(at%2)}, at*1e6)
	}
	ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
	w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
	w.family.fixed = true
	asked = 0
	ev.rounds(&kin{input: ev.inputOfThread(1), witnesses: w})
	if asked != 2 {
		t.Errorf("two stacks were looked at %d times", asked)
	}
}
