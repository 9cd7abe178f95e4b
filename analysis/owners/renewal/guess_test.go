package renewal

import (
	"math/rand/v2"
	"testing"
)

// guessed is a learner that has only guessed, of sections of a millisecond and
// free times of 0.2 ms.
func guessed() *learner {
	r := rand.New(rand.NewPCG(1, 2))
	var gaps []Gap
	for range 500 {
		gaps = append(gaps, Gap{Site: 0, Length: 1e6 + int64(r.ExpFloat64()*0.2e6)})
	}
	return guessing(gaps, Mix{1})
}

// above is the part of a distribution above a length in ns.
func (l *learner) above(d *lattice, ns float64) (sum float64) {
	for k, p := range d {
		if float64(k)*float64(l.m.unit) > ns {
			sum += p
		}
	}
	return sum
}

// A section is looked for first at the shortest gaps after it, and to a part
// where it may be twice as long.
func TestSectionsAreLookedForAtTheShortestGaps(t *testing.T) {
	l := guessed()
	g := &l.guess[0]
	all := l.above(g, -1)
	if at := l.above(g, 1.05e6) / all; at < 0.4 || at > 0.6 {
		t.Errorf("%.2f of the guess is above the section", at)
	}
	if low := 1 - l.above(g, 0.7e6)/all; low < 0.02 || low > 0.09 {
		t.Errorf("%.3f of the guess is below 0.7 ms", low)
	}
	if beyond := 1 - all; beyond < 0.14 || beyond > 0.22 {
		t.Errorf("%.3f of the guess is longer than all gaps", beyond)
	}
	// a third of the rests is shorter than 0.07 ms
	if free := l.above(&l.wake, 0.07e6); free < 0.25 || free > 0.75 {
		t.Errorf("%.2f of the free times is longer than 0.07 ms", free)
	}
}

// guessing is a learner that has only guessed, from gaps after some sites.
func guessing(gaps []Gap, mix Mix) *learner {
	m := &Model{grid: newGrid(gaps), sites: len(mix), mixes: normalized([]Mix{mix})}
	l := newLearner(m, gaps, nil, 0)
	l.start()
	return l
}

// A section of which one gap is known is supposed to be shorter than that by as much
// as gaps of others are longer than theirs, but not to be nothing: a quarter of it.
func TestTheSectionOfOneGapIsAPartOfIt(t *testing.T) {
	gaps := []Gap{{Site: 1, Length: 2e6}}
	for i := range int64(100) {
		gaps = append(gaps, Gap{Length: 1e6 + i*50e3})
	}
	l := guessing(gaps, Mix{1, 1})
	if got := l.short[1] * float64(l.m.unit); got < 0.4e6 || got > 0.6e6 {
		t.Errorf("%.0f ns of one gap of 2 ms", got)
	}
}

// Where gaps are no longer than their sections a lock is free for less than a cell:
// for less than half of one in two of three cases.
func TestFreeTimesThatCannotBeSeenAreShort(t *testing.T) {
	gaps := make([]Gap, 50)
	for i := range gaps {
		gaps[i].Length = 1e6
	}
	if l := guessing(gaps, Mix{1}); l.wake[0] < 0.6 || l.wake[0] > 0.8 {
		t.Errorf("%.2f of the free times is in the first cell", l.wake[0])
	}
}

// Of a gap that is shorter than a cell it is as likely as not that it is all section.
func TestAGapWithinACellIsHalfKnown(t *testing.T) {
	l := guessed()
	var p Parts
	l.m.Splitter().Split(&Gap{Length: l.m.unit / 4}, &p)
	if p.First < l.m.unit/4-1 || p.SureFirst < 0.4 || p.SureFirst > 0.6 {
		t.Errorf("%+v", p)
	}
}

// Lengths none of which was seen do not make the mean section longer.
func TestUnseenLengthsWeighNothing(t *testing.T) {
	var gaps []Gap
	for i := range 1000 {
		gaps = append(gaps, Gap{Site: 0, Length: 1e6 + int64(i)*100})
	}
	m := Learn(&Data{Gaps: gaps}, 1, []Mix{{1}})
	if mean := m.average * float64(m.unit); mean > 1.2e6 {
		t.Errorf("sections of 1 ms have a mean of %.1f ms", mean/1e6)
	}
	// who came and met somebody for 50 ms met a long section: the lock was not free so long
	var met Met
	m.Splitter().Meet(&Arrival{Site: -1, Length: 50e6, Busy: 0.5}, &met)
	if met.First[0] < 45e6 {
		t.Errorf("of 50 ms somebody was met %d ns, free %d ns, others %d", met.First[0], met.Free, met.Others)
	}
}

// What a thread that is named had before a waiter got the lock is its section
// and not longer.
func TestANamedThreadHadItsSection(t *testing.T) {
	var gaps []Gap
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		gaps = append(gaps, Gap{Site: 0, Length: 1e6 + int64(r.ExpFloat64()*0.3e6)}, Gap{Site: 1, Length: 3e6 + int64(r.ExpFloat64()*0.3e6)})
	}
	s := Learn(&Data{Gaps: gaps}, 2, []Mix{{1, 1}, {1, 0}, {0, 1}}).Splitter()
	for _, c := range []struct {
		group    int
		length   int64
		site     int
		from, to int64
	}{{1, 1.3e6, 0, 0.8e6, 1.3e6}, {2, 3.2e6, 1, 2.6e6, 3.2e6}, {0, 1.2e6, 0, 0.7e6, 1.2e6}, {0, 3.2e6, 1, 2.4e6, 3.2e6}} {
		if by := s.Section(c.group, c.length, nil); by[c.site] < c.from || by[c.site] > c.to || by[1-c.site] > c.length/5 {
			t.Errorf("%+v: %d", c, by)
		}
	}
}

// A few gaps shorter than the section, in which something else happened, do not
// make the guess shorter; a tenth of all would.
func TestAFewShortGapsDoNotMakeASectionShort(t *testing.T) {
	for _, c := range []struct {
		short int
		long  bool
	}{{70, true}, {150, false}} {
		var gaps []Gap
		for i := range 1000 {
			g := Gap{Site: 0, Length: 1e6 + int64(i)*100}
			if i < c.short {
				g.Length = 0.3e6
			}
			gaps = append(gaps, g)
		}
		m := &Model{grid: newGrid(gaps), sites: 1, mixes: normalized([]Mix{{1}})}
		l := newLearner(m, gaps, nil, 0)
		l.start()
		if long := l.above(&l.guess[0], 0.6e6) > 0.5*l.above(&l.guess[0], -1); long != c.long {
			t.Errorf("%d of 1000 gaps are short: guessed long is %v", c.short, long)
		}
	}
}

// Lengths vary by some 12 % of themselves.
func TestLengthsAreEvenedOutInProportion(t *testing.T) {
	var spike lattice
	spike[100] = 1
	wide := 0
	for _, p := range spike.smoothed(1) {
		if p > 0 {
			wide++
		}
	}
	if wide < 19 || wide > 33 {
		t.Errorf("a length of 100 cells is spread over %d", wide)
	}
}

// Whether who had the lock last is the one who began the gap is as likely as not at
// first, and stays so where no acquisition names it. Where all do it is told slowly, as
// gaps in which it came back and others in which nobody came look nearly alike: of seven
// in ten that came back some are missed.
func TestWhoComesBackIsAsLikelyAsNotAtFirst(t *testing.T) {
	p := program{holds: []float64{50, 500}, spread: 0.3, mix: []float64{0.8, 0.2}, wake: 80, barging: 0.4}
	learnt := func() *Model {
		gaps, _ := p.run(3000)
		r := rand.New(rand.NewPCG(3, 2))
		for i := range gaps {
			if gaps[i].Last == LastOther && r.Float64() < 0.7 {
				gaps[i].Last = LastSame
			}
		}
		return Learn(&Data{Gaps: gaps}, 2, []Mix{{0.8, 0.2}})
	}
	if m := learnt(); m.again != 0.5 {
		t.Errorf("%.2f where nothing tells", m.again)
	}
	p.named = true
	if m := learnt(); m.again < 0.5 || m.again > 0.58 {
		t.Errorf("%.3f of seven in ten", m.again)
	}
}
