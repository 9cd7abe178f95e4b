package renewal

import (
	"math"
	"slices"
)

// kind is a class of gaps the model cannot tell apart.
type kind struct {
	site, group int32
	cell, most  uint8 // most: cells the first section has
	last        Last
}

// key is what tells one stretch from another, in one number: maps are quickest by
// these, and each stretch is looked up.
type key uint64

const _ = uint8(cells + tails) // what each of the three cells may be

// keyOf makes one of a call site, or -1, a group, three cells and whom the end
// tells of. There are fewer sites and groups than bits for them.
func keyOf(site, group, a, b, c int, last Last) key {
	return key(site+1)<<55 | key(group)<<26 | key(a)<<18 | key(b)<<10 | key(c)<<2 | key(last)
}

// held adds, in six bits, until when somebody is known to have had the lock.
func (k key) held(until int) key { return k | key(until)<<49 }

// learner fits a model by expectation and maximization.
type learner struct {
	m      *Model
	bySite [][]int64 // lengths of the gaps after each site, in order
	kinds  []kind
	counts []float64
	far    []Gap
	guess  []lattice // by site: where it is looked for first
	wake   lattice   // the same of free times
	free   *lattice  // these, where they are known
	hold   []lattice // scratch
	order  []taking  // the same
	met    lattice   // by cells: how many stretches are of a thread that ran into a section
	arrivals
}

func newLearner(m *Model, gaps []Gap, came []int64, recorded float64) *learner {
	l := &learner{m: m, bySite: make([][]int64, m.sites), hold: make([]lattice, m.sites), arrivals: arrivals{recorded: recorded}}
	m.asked = make([]bool, len(m.mixes))
	index := map[key]int{}
	for i := range gaps {
		g := &gaps[i]
		l.bySite[g.Site] = append(l.bySite[g.Site], g.Length)
		c, ok := m.cell(g.Length)
		if !ok {
			l.far = append(l.far, *g)
			continue
		}
		if g.Last == LastOther {
			m.asked[g.Group] = true
		}
		most := m.most(g, c)
		k := keyOf(g.Site, g.Group, c, most, 0, g.Last)
		at, ok := index[k]
		if !ok {
			at = len(l.kinds)
			index[k] = at
			l.kinds = append(l.kinds, kind{int32(g.Site), int32(g.Group), uint8(c), uint8(most), g.Last})
			l.counts, l.came = append(l.counts, 0), append(l.came, nil)
		}
		l.counts[at]++
		for _, ns := range came[g.Came.From:g.Came.To] {
			u, _ := m.cell(ns)
			l.came[at] = append(l.came[at], uint8(min(u, c)))
		}
	}
	for _, list := range l.bySite {
		slices.Sort(list)
	}
	return l
}

// most returns how many of the cells of a gap its first section has at most.
func (m *Model) most(g *Gap, cell int) int {
	if g.Gone > 0 {
		if c, ok := m.cell(g.Gone); ok {
			return min(c, cell)
		}
	}
	return cell
}

// least returns how many it has at least.
func (m *Model) least(g *Gap, cell int) int {
	c, _ := m.cell(g.Least)
	return min(c, cell)
}

// shortest is the part of the gaps after a site that is taken for hardly
// longer than its section: those in which the waiter was there at once.
const shortest = 0.1

// mayBeLonger is how likely a first guess has it that sections are mostly longer than
// that.
const mayBeLonger = 0.15

// Trust is how many gaps a first guess weighs as much as.
const Trust = 5

// start guesses: sections from the shortest gaps after each site, free times
// from what is left of the others.
func (l *learner) start() {
	m := l.m
	at := make([]float64, m.sites)
	least := math.Inf(1)
	for s, list := range l.bySite {
		if len(list) > 0 {
			at[s] = float64(quantile(list, shortest))
			least = min(least, at[s])
		}
	}
	var rests []int64
	for s, list := range l.bySite {
		for _, x := range list {
			rests = append(rests, x-int64(at[s]))
		}
	}
	slices.Sort(rests)
	for s, list := range l.bySite {
		if len(list) == 0 {
			at[s] = least
		}
		// the shortest of few is not as short: by as much as the rests of all tell
		p := max(shortest, 1/float64(len(list)+1))
		at[s] = max(at[s]-float64(quantile(rests, p)-quantile(rests, shortest)), at[s]/4)
	}
	l.shortest(at, float64(m.unit))
	l.guess, m.hold, m.far = make([]lattice, m.sites), make([]lattice, m.sites), make([][tails]float64, m.sites)
	for s := range l.guess {
		narrow, wide := m.lognormal(at[s]*1.05, 0.25), m.lognormal(at[s]*2, 0.7)
		for i := range narrow {
			narrow[i] += mayBeLonger * (wide[i] - narrow[i])
		}
		l.guess[s] = narrow
		m.hold[s] = narrow.smoothed(1)
	}
	usual := float64(quantile(rests, 0.3))
	free := m.lognormal(max(usual, leastWake*float64(m.unit)), 1)
	l.wake = free.smoothed(1)
	m.wake = l.wake
	if m.prompt {
		l.promptly(min(least/2, usual))
	}
}

// leastWake is how much of a cell a woken thread is taken to need at least.
const leastWake = 0.3

func quantile(sorted []int64, p float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// round expects, of each class of gaps, how it divides, and makes the model
// what that says.
func (l *learner) round() {
	m := l.m
	m.tables(m.asked)
	m.count()
	clear(l.hold)
	var wake lattice
	var seen census
	rests := map[taking]*expected{}
	for i, k := range l.kinds {
		l.expect(i, m.expected(rests, k), &wake, &seen)
	}
	if l.free == nil {
		l.afterOthers(rests, &wake)
	}
	l.countMet(l.hold)
	l.conclude(&wake)
	if m.barge > 0 {
		m.barge, m.again = l.barging(m, &seen)
	}
}

// expect divides the gaps of a kind, given what is expected after first sections,
// and counts their parts.
func (l *learner) expect(i int, rest *expected, wake *lattice, seen *census) {
	k := &l.kinds[i]
	var lengths lattice
	weights := lengths[:int(k.most)+1]
	sum := 0.0
	for d, p := range l.m.hold[k.site][:len(weights)] {
		if p == 0 {
			continue
		}
		weights[d] = p * rest.chance[int(k.cell)-d]
		sum += weights[d]
	}
	if sum <= 1e-300 {
		return
	}
	l.meet(seen, i, weights, sum)
	direct := l.divide(k, weights, l.counts[i]/sum, rest, wake, seen)
	seen.count(*k, l.counts[i], direct)
}

// divide counts, by the weights of lengths, first sections and what comes after
// them. It returns in how many of the gaps that is free time alone.
func (l *learner) divide(k *kind, weights []float64, times float64, rest *expected, wake *lattice, seen *census) (direct float64) {
	cell, into, straight := int(k.cell), &l.hold[k.site], &l.m.direct
	firsts, sections := seen.firsts, seen.sections // in registers
	for d, w := range weights {
		if w == 0 {
			continue
		}
		q := cell - d
		w *= times
		into[d] += w
		firsts += w * float64(d)
		rest.ends[q] += w
		if k.last != LastOther {
			free := w * straight[q] / rest.chance[q]
			wake[q] += free
			direct += free
		}
		sections += w * rest.sections[q]
	}
	seen.firsts, seen.sections = firsts, sections
	return direct
}

// conclude makes the lengths that were counted those of the model. The first guess
// has its part in them, so that few gaps do not say too much.
func (l *learner) conclude(wake *lattice) {
	m := l.m
	for s := range l.hold {
		hold := &l.hold[s]
		for i, p := range &l.guess[s] {
			hold[i] += Trust * p
		}
		m.hold[s] = hold.smoothed(1)
	}
	for i, p := range &l.wake {
		wake[i] += Trust * p
	}
	if m.wake = wake.smoothed(1); l.free != nil {
		m.wake = *l.free
	}
}

// expected is what follows first sections, by its length: how likely it is, and
// how many sections are then in it.
type expected struct {
	chance, sections lattice
	ends             lattice // in how many of the gaps the rest is expected to be so long
}

// expected computes what is expected of a kind of gaps once in a round.
func (m *Model) expected(known map[taking]*expected, k kind) *expected {
	t := taking{k.last, 0}
	if k.last == LastOther {
		t.group = int(k.group)
	}
	if of := known[t]; of != nil {
		return of
	}
	of := &expected{}
	for q := range of.chance {
		of.chance[q] = m.rest(q, t.last, t.group)
		of.sections[q] = m.inside(q, of.chance[q], t.last, t.group)
	}
	known[t] = of
	return of
}

// count prepares inside.
func (m *Model) count() {
	m.every.convolve(&m.groups[0].mix, &m.between)
	for i := range m.groups {
		if m.asked[i] {
			m.groups[i].early.convolve(&m.groups[0].mix, &m.groups[i].before)
		}
	}
}

// inside returns how many sections to expect in a rest, given how likely it is.
func (m *Model) inside(q int, p float64, last Last, group int) float64 {
	if p <= 1e-300 {
		return 0
	}
	switch last {
	case LastSame:
		return m.again * m.every[q] / p
	case LastOther:
		return (1 - m.again) * (m.groups[group].taken[q] + m.groups[group].early[q]) / p
	}
	return m.every[q] / p
}
