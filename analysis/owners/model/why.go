package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// Evidence is a kind of what speaks for or against a candidate.
type Evidence uint8

// The kinds, in the order in which they are added up.
const (
	Prior      Evidence = iota // how long and how often it holds, and how long the gap is
	Next                       // the gap ends with an acquisition
	Alibis                     // threads wait for the lock, or are elsewhere
	Activities                 // threads do something on the path of a site
	Samples                    // they are sampled there
	Shown                      // dumps, and holds that the recording tells
	Checked                    // what dumps and samples, hidden and compared, have shown
	evidences
)

// Candidate is a state a lock may have been in, and what speaks for it.
type Candidate struct {
	State  State          // Held or Free; Unknown for an acquirer whose site is not known
	Stack  format.StackID // of Held: where the lock is taken
	Thread format.ThreadID
	Chance float64            // the share of the waiting that it is charged with
	Bits   [evidences]float64 // together the log of its odds, to base 2
}

// Why says why a stretch of the waiting for a lock is charged as it is.
type Why struct {
	Ns         int64       // waiting in it
	Candidates []Candidate // by chance
}

// sure bounds probabilities, so that odds have a logarithm.
const sure = 1e-9

// Why returns the candidates for who held a lock in [from, to), from the evidence of
// each gap of its waiting there, weighed by how long threads waited.
func (c *Class) Why(l *Lock, from, to int64) Why {
	k := c.worker()
	defer k.release()
	free, unknown := len(c.sites), len(c.sites)+1
	sum := make([]Candidate, unknown+1)
	most, ns := make([]float64, unknown+1), 0.0 // the most likely gap of each names its thread
	k.gaps(l, func(g *gap) bool { return g.from < to && g.to > from }, func(g *gap) {
		var before [evidences][]byCell
		for kind := range evidences {
			if before[kind] = k.until(l, g, kind); before[kind] == nil {
				return
			}
		}
		for cell := range cells {
			lo, hi := g.from+int64(bounds[cell]*float64(g.to-g.from)), g.from+int64(bounds[cell+1]*float64(g.to-g.from))
			lo, hi = max(lo, from), min(hi, to)
			if lo >= hi {
				continue
			}
			weight := g.ns(hi) - g.ns(lo)
			ns += weight
			for s := range sum {
				x, last := &sum[s], 0.0
				for kind := range evidences {
					p := min(1-sure, max(sure, before[kind][s][cell]))
					bits := math.Log2(p / (1 - p))
					x.Bits[kind] += weight * (bits - last)
					last = bits
				}
				p := before[evidences-1][s][cell]
				x.Chance += weight * p
				if p > most[s] && s < free {
					most[s], x.Thread = p, k.holder(g, s, lo, hi)
					if own := k.post.own[cell]; s == g.site && own > k.post.site[s][cell] {
						x.Thread = g.thread
					}
				}
			}
		}
	})
	w := Why{Ns: int64(ns + .5)}
	for s, x := range sum {
		if x.Chance <= 0 {
			continue
		}
		switch x.State = Held; {
		case s == free:
			x.State = Free
		case s == unknown:
			x.State = Unknown
		default:
			x.Stack = c.sites[s].stack
		}
		x.Chance /= ns
		for kind := range x.Bits {
			x.Bits[kind] /= ns
		}
		w.Candidates = append(w.Candidates, x)
	}
	slices.SortStableFunc(w.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Chance, a.Chance) })
	return w
}

// until returns how likely each site, free and an unknown site are in a gap, by the kinds
// of evidence up to one; nil where nothing explains it.
func (k *worker) until(l *Lock, g *gap, last Evidence) []byCell {
	some, lock := *g, *l
	if last < Shown {
		lock.Dumps = nil
	}
	if last < Next {
		some.ended = false
	}
	if last < Alibis {
		some.arrivals, some.blocked = nil, make([]float64, len(g.blocked))
	}
	some.deeds = nil
	for i := range g.deeds {
		if k.kindOf(l, g, &g.deeds[i]) <= last {
			some.deeds = append(some.deeds, g.deeds[i])
		}
	}
	if !k.run(&lock, &some, nil) {
		return nil
	}
	sites := len(k.class.sites)
	out := append(slices.Clone(k.post.site), k.post.free, byCell{})
	own := sites + 1
	if g.site >= 0 {
		own = g.site
	}
	for c := range cells {
		out[own][c] += k.post.own[c]
		if last < Checked {
			continue
		}
		all := 0.0
		for s := range out {
			if s <= sites {
				out[s][c] *= k.class.factor[s]
			}
			all += out[s][c]
		}
		for s := range out {
			out[s][c] /= max(all, 1e-12)
		}
	}
	return out
}

// kindOf returns what kind of evidence a deed is.
func (k *worker) kindOf(l *Lock, g *gap, d *deed) Evidence {
	switch {
	case d.What == Holds:
		return Shown
	case len(d.in) == 0 || d.What == Leaves && d.Lock == l.ID || spans(&d.Doing, g):
		return Alibis
	case d.What == Sample:
		return Samples
	}
	return Activities
}
