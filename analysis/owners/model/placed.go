package model

import (
	"math"
	"slices"

	"contend/format"
)

// Shares of the waiting are known from some thousand gaps as well as from a million (they are a sample of it), so
// of a lock with more gaps a sample is inferred with all evidence. Each other gap is placed: it is charged as the
// inferred ones of its stratum are on average, which are those that begin and end alike and are as long. Its
// recorded facts are its own: the gap is cut at recorded acquisitions, and the previous owner is named, at the
// sites that this thread uses. Always inferred are gaps that a dump shows, those with most waiting, and the first
// of each stratum.

// strata are the gaps of a lock by stratum; none where all of them are inferred.
type strata struct {
	lock  *Lock
	every int     // every so many gaps one is inferred
	much  float64 // ns of waiting from which on a gap is inferred
	dump  int     // the first of the lock's dumps that is not before the current gap
	by    map[stratumKey]*stratum

	states int       // of the lock: its group's sites, free, and the acquirer
	arena  []float64 // to allocate sums from
	room   []stratum // the same, for strata
}

// stratumKey is what the gaps of a stratum have in common.
type stratumKey struct {
	site            int
	length          uint64 // to half an octave
	acquired, ended bool
	previous        whose
}

// whose says which thread the recorded previous owner of a gap is.
type whose uint8

const (
	notRecorded whose = iota
	theAcquirers
	anothers
)

// stratum has the sums of the inferred gaps of a stratum.
type stratum struct {
	chosen int       // gaps to be inferred so far
	n      float64   // gaps that were, and that some path explained
	all    float64   // waiting in them, ns
	ns     []float64 // by state: what it was charged
	right  []float64 // by state: what is expected to be right of that
	when   []float64 // by state: ns times the mean of its cells
	mine   []float64 // by site: the shares of the previous owners
}

// strataOf returns the strata of a lock.
func (gr *Group) strataOf(l *Lock) strata {
	s := strata{
		lock:   l,
		every:  l.n / gr.inferred,
		much:   float64(l.ns) / float64(gr.inferred),
		states: len(gr.sites) + 2,
	}
	if s.every > 1 && !l.Holds {
		s.by = map[stratumKey]*stratum{}
	}
	return s
}

// choose returns the stratum of a gap, and whether the gap is placed. Gaps come in order of time.
func (s *strata) choose(g *gap) (of *stratum, placed bool) {
	if s.by == nil {
		return nil, false
	}
	k := stratumKey{
		site:     g.site,
		length:   math.Float64bits(float64(g.to-g.from)) >> 51, // exponent, and a bit of the mantissa
		acquired: g.acquired,
		ended:    g.ended,
	}
	switch {
	case g.previous == format.NoThread:
	case g.acquired && g.previous == g.thread:
		k.previous = theAcquirers
	default:
		k.previous = anothers
	}
	of = s.by[k]
	if of == nil {
		of = s.newStratum()
		s.by[k] = of
	}
	if of.chosen >= fewOfStratum && g.number%s.every != 0 && g.waited(g.to) < s.much && !s.shown(g) {
		return of, true
	}
	of.chosen++
	return of, false
}

// shown reports whether a dump shows the owner in a gap.
func (s *strata) shown(g *gap) bool {
	for s.dump < len(s.lock.Dumps) && s.lock.Dumps[s.dump].Time < g.from {
		s.dump++
	}
	return s.dump < len(s.lock.Dumps) && s.lock.Dumps[s.dump].Time < g.to
}

// newStratum returns one without gaps.
func (s *strata) newStratum() *stratum {
	of := &take(&s.room, 1, 64)[0]
	n := s.states
	sums := take(&s.arena, 4*n, 256*n)
	of.ns = sums[:n]
	of.right = sums[n : 2*n]
	of.when = sums[2*n : 3*n]
	of.mine = sums[3*n:]
	return of
}

// addCharge adds what a state is charged in an inferred gap.
func (s *stratum) addCharge(state int, ns, right, when float64) {
	s.ns[state] += ns
	s.right[state] += right
	s.when[state] += ns * when
}

// addGap adds an inferred gap.
func (s *stratum) addGap(all float64, e *evidence) {
	s.n++
	s.all += all
	if e.previous >= 0 {
		for i, v := range e.mine {
			s.mine[i] += v
		}
	}
}

// place charges a gap as its stratum is charged on average. Sites are weighted by how often the recorded previous
// owner enters them, and scaled to what is held. It returns false if no path explained the gaps of the stratum.
func (a *answer) place(g *gap) bool {
	s, sites := g.stratum, len(a.group.sites)
	all := g.waited(g.to)
	if s.all <= 0 || all <= 0 {
		return all <= 0
	}
	a.setPrevious(g)
	e := &a.evidence
	e.by = slices.Grow(e.by[:0], sites)[:sites]
	for i := range e.by {
		e.by[i] = e.previous
	}
	weight := func(site int) float64 { return e.mine[site] * s.n / max(s.mine[site], impossible) }
	held, weighted := 0.0, 0.0
	if e.previous >= 0 {
		for i, ns := range s.ns[:sites] {
			held, weighted = held+ns, weighted+ns*weight(i)
		}
	}
	a.shares = a.shares[:0]
	for i, ns := range s.ns {
		if ns <= 0 {
			continue
		}
		as := all / s.all
		if i < sites && weighted > impossible*held {
			as *= weight(i) * held / weighted
		}
		a.charge(i, ns*as, s.right[i]*as, s.when[i]/ns, all)
	}
	a.layOut(g, all)
	return true
}
