// Package renewal tells how the time between two acquisitions of a lock by
// threads that waited for it divides: the first one's own section, stretches
// in which the lock was free, because a woken thread takes a while to run, and
// the sections of threads that took the free lock without having waited. None
// of these is recorded. All are learnt from how long the times between are:
// after each call site they are its section and a rest that is the same for
// all, and the rest is made of the sections of all.
package renewal

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Last says who had the lock just before the next waiter got it.
type Last uint8

// What recorders tell of it.
const (
	LastUnknown Last = iota
	LastSame         // the thread that began the gap
	LastOther        // another one: at least once the lock was taken in between
)

// Gap is the time between two acquisitions by waiters, with a waiter all along.
type Gap struct {
	Site   int   // call site of the first acquisition; negative where its section is over
	Length int64 // ns
	Gone   int64 // the thread was seen elsewhere so long after it got the lock; 0 when it was not
	Least  int64 // the thread was seen to have it so long after
	Held   int64 // somebody had it so long after, for a thread came and had to wait
	Came   Range // which threads began to wait meanwhile
	Last   Last
	Group  int // the mix of the last owner, if another
}

// Range is a part of a list of arrivals: when threads began to wait, in ns after
// the acquisition the gap began with.
type Range struct{ From, To uint32 }

// Mix is how often each call site takes the lock; mix 0 is that of all threads.
type Mix []float64

// Model is what has been learnt of a lock.
type Model struct {
	grid
	sites int
	hold  []lattice // by site: how long its section is
	far   [][tails]float64
	wake  lattice // how long a free lock is free
	late  [tails]float64
	barge float64 // chance that what ends it is a thread that had not waited
	again float64 // chance that the last of those is the thread that began the gap
	mixes []Mix

	fewest, atMost float64 // how many sections of others there may be, as parts of how many there are

	direct, taken, between lattice // of what follows a release; see tables
	begins, lastOne, every lattice
	groups                 []group
	asked                  []bool           // by group: some gap it is learnt from had one of it as the last owner
	average                float64          // length of all sections, in cells
	usual                  []int64          // by site: mean length, in ns
	over                   []lattice        // by site: chance that its section is longer than each cell
	farther                [][tails]float64 // the same, of far
	takes                  map[taking]*takes
	mu                     sync.Mutex

	early  state  // before the last round; empty where it began with that of another one
	coarse *Model // for stretches that are longer than the cells; nil where few are
	free   *Model // tells how much of stretches was free; nil where this one does
	prompt bool   // that one, of a fair lock: it tells this of any stretch
}

// group holds what depends on who was the last to barge in.
type group struct {
	mix    lattice // lengths of its sections
	taken  lattice // time to the next acquisition, if one of it barges in last
	early  lattice // and how many sections of others to expect before it, times how likely that is
	before lattice // the same with another section in between
}

// rounds of expectation and maximization: the shares move by less than one
// percent after that.
const rounds = 10

// Data is what a model is learnt from.
type Data struct {
	Gaps     []Gap
	Arrivals []int64 // in the gaps
	Met      []int64 // lengths of stretches from when the first thread came to wait to the next acquisition, in ns
	Recorded float64 // share of those who had to wait that were recorded
	Hidden   bool    // many others who had to wait were not
	Shared   bool    // readers come while a writer has the lock, and then get it together
	Fair     bool    // nobody takes the free lock while others wait for it
	Pool     bool    // several threads may have it together
	Before   *Before // nil for none

	prompt bool // a fair lock's free times are not learnt
}

// Learn fits a model to what is known of a lock. A mix has a weight for each
// site.
func Learn(d *Data, sites int, mixes []Mix) *Model {
	mixes = normalized(mixes)
	m := d.learn(sites, mixes)
	if d.Hidden && !d.Shared && (d.Fair || m.leavesFree(d)) {
		m.free = d.ofFree().learn(sites, mixes)
	}
	return m
}

// learn fits a model, and a coarse one for what is longer.
func (d *Data) learn(sites int, mixes []Mix) *Model {
	m := fit(d, newGrid(d.Gaps), sites, mixes, nil, d.Before)
	if !d.Hidden {
		return m
	}
	if g, ok := m.tooShort(d); ok {
		m.coarse = fit(d, g, sites, mixes, m, d.Before.coarse())
	}
	return m
}

// fit learns a model, with the free times of another one, if any, from what was
// learnt before, if anything.
func fit(d *Data, g grid, sites int, mixes []Mix, free *Model, before *Before) *Model {
	m := &Model{grid: g, sites: sites, mixes: mixes, barge: 0.4, again: 0.5, prompt: d.prompt}
	if d.Fair {
		m.barge, m.fewest, m.atMost = 0, 1, 1
	}
	l := newLearner(m, d.Gaps, d.Arrivals, d.Recorded)
	l.start()
	if free != nil && !m.prompt {
		l.free = free.wake.rescaled(free.grid, g)
		m.wake = *l.free
	}
	if d.Hidden && d.Shared {
		l.noteMet(d.Met)
	}
	l.rounds(before)
	m.tables(nil)
	l.learnTails()
	m.summarize()
	return m
}

// Doubt says how many times as many sections of others there may be at least and
// at most: of the ways to count them, some tell less and some more.
func (m *Model) Doubt() (least, most float64) { return m.fewest, m.atMost }

// tooShort reports whether the cells hold too little of the time in which
// threads came to wait, and returns a grid that holds it. Recorders that leave
// short waits out show few gaps but those in a queue, which are short, and of the
// stretches before them only long ones: several sections make those up, and no
// single one does.
func (g grid) tooShort(d *Data) (longer grid, ok bool) {
	var by [65]float64 // the sum of lengths of so many bits
	total, within := 0.0, 0.0
	d.each(func(l int64) {
		by[bits.Len64(uint64(l))] += float64(l)
		total += float64(l)
		if _, ok := g.cell(l); ok {
			within += float64(l)
		}
	})
	if within >= inGrid*total {
		return grid{}, false
	}
	size, sum := 0, 0.0 // of the length that is looked for, and the sum of those of fewer bits
	for size < len(by)-1 && sum+by[size] < inGrid*total {
		sum += by[size]
		size++
	}
	var lengths []int64 // few, to be sorted
	d.each(func(l int64) {
		if bits.Len64(uint64(l)) == size {
			lengths = append(lengths, l)
		}
	})
	slices.Sort(lengths)
	for _, l := range lengths {
		longer = grid{unit(l)}
		if sum += float64(l); sum >= inGrid*total {
			break
		}
	}
	return longer, longer.unit > g.unit
}

// each visits the lengths of all gaps, and of what was met.
func (d *Data) each(f func(ns int64)) {
	for i := range d.Gaps {
		f(d.Gaps[i].Length)
	}
	for _, l := range d.Met {
		f(l)
	}
}

// summarize computes what is asked for again and again.
func (m *Model) summarize() {
	m.average = m.meanCells()
	m.usual, m.over, m.farther = make([]int64, m.sites), make([]lattice, m.sites), make([][tails]float64, m.sites)
	for s := range m.far {
		over := 0.0
		for k := tails - 1; k >= 0; k-- {
			over += m.far[s][k]
			m.farther[s][k] = over
		}
	}
	for s := range m.usual {
		m.usual[s], m.over[s] = m.mean(s), m.beyond(s)
	}
}

func normalized(mixes []Mix) []Mix {
	out := make([]Mix, len(mixes))
	for i, mix := range mixes {
		sum := 0.0
		for _, w := range mix {
			sum += w
		}
		out[i] = make(Mix, len(mix))
		for s, w := range mix {
			out[i][s] = w / max(sum, math.SmallestNonzeroFloat64)
		}
	}
	return out
}

// tables computes what follows a release. With bw the free times that a
// barging thread ends, F the sections of all, and dw those that the waiter
// ends:
//
//	begins  u = bw + bw∗F∗u     a barging section begins so long after it
//	acquire B = dw + bw∗F∗B     the waiter gets the lock so long after it
//	taken   K = B - dw          the same, with at least one section between
//	between V = u∗B             all that can surround a section
//
// What depends on the group of the last owner it computes for those asked for;
// nil asks for all.
func (m *Model) tables(asked []bool) {
	bw := m.wake
	bw.scale(m.barge)
	m.direct = m.wake
	m.direct.scale(1 - m.barge)
	var g, acquire lattice
	all := m.mixture(0)
	g.convolve(&bw, &all)
	renew(&acquire, &m.direct, &m.begins, &bw, &g)
	m.between.convolve(&m.begins, &acquire)
	for i := range acquire {
		m.taken[i] = acquire[i] - m.direct[i]
	}
	m.lastOne.convolve(&m.begins, &m.direct)
	if m.groups == nil {
		m.groups = make([]group, len(m.mixes))
	}
	m.groups[0].mix = all
	for i := range m.groups {
		if asked != nil && !asked[i] {
			continue
		}
		of := &m.groups[i]
		of.mix = m.mixture(i)
		of.taken.convolve(&of.mix, &m.lastOne)
		of.before.convolve(&m.begins, &of.taken)
	}
}

// mixture is the distribution of the sections of a mix.
func (m *Model) mixture(mix int) (out lattice) {
	for s, w := range m.mixes[mix] {
		if w == 0 {
			continue
		}
		for i, p := range &m.hold[s] {
			out[i] += w * p
		}
	}
	return out
}

// rest returns how likely it is that a rest of so many cells follows the first
// section of a gap, given what is known of its last owner.
func (m *Model) rest(q int, last Last, group int) float64 {
	switch last {
	case LastSame:
		return m.direct[q] + m.again*m.taken[q]
	case LastOther:
		return (1 - m.again) * m.groups[group].taken[q]
	}
	return m.direct[q] + m.taken[q]
}
