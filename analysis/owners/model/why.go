package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// Evidence is a kind of evidence for or against a candidate.
type Evidence uint8

// The kinds, in the order in which they are added.
const (
	Prior      Evidence = iota // how long and how often it holds the lock, and how long the gap is
	Next                       // the gap ends with an acquisition
	Alibis                     // threads wait for the lock, or are elsewhere
	Activities                 // threads do something on the path of a site
	Samples                    // samples of threads on its path
	Shown                      // dumps and recorded holds
	Checked                    // the correction that the check found
	evidences
)

// Candidate is a state that a lock may have been in, and the evidence for it.
type Candidate struct {
	State  State          // Held or Free; Unknown for an acquirer whose site is not known
	Stack  format.StackID // of Held: where the lock is acquired
	Thread format.ThreadID
	Chance float64            // the share of the waiting that it is charged with
	After  [evidences]float64 // the same by the evidence up to each kind, the last is Chance
}

// Bits are the evidence by kind: the change that it makes to the logarithm of the odds to base 2. They add up
// to the odds of Chance, also over several gaps: what is averaged is the chance, before odds are taken.
func (c *Candidate) Bits() (bits [evidences]float64) {
	last := 0.0
	for kind, p := range c.After {
		p = min(1-impossible, max(impossible, p))
		odds := math.Log2(p / (1 - p))
		bits[kind], last = odds-last, odds
	}
	return bits
}

// Join adds the chance of another candidate, which is charged with another share.
func (c *Candidate) Join(o *Candidate) {
	c.Chance += o.Chance
	for kind := range c.After {
		c.After[kind] += o.After[kind]
	}
}

// Why explains how an interval of the waiting for a lock is charged.
type Why struct {
	Ns         int64       // waiting in it
	Candidates []Candidate // by chance
}

// impossible, and one less it, bound probabilities, so that odds have a logarithm.
const impossible = 1e-9

// Why returns the candidates for the owner of a lock in [from, to): the mean of those of each
// gap, by how long threads waited in it. Kinds of evidence are added one after the other.
func (gr *Group) Why(l *Lock, from, to int64) Why {
	w := gr.worker()
	defer w.release()
	sum := candidates{worker: w, list: make([]Candidate, len(gr.sites)+2), most: make([]float64, len(gr.sites)+2)}
	w.gaps(l, func(g *gap) bool { return g.from < to && g.to > from }, func(g *gap) {
		var by [evidences][]byCell
		for kind := range evidences {
			if by[kind] = w.posteriorBy(g, kind); by[kind] == nil {
				return
			}
		}
		for c := range cells {
			lo, hi := g.from+int64(bounds[c]*float64(g.to-g.from)), g.from+int64(bounds[c+1]*float64(g.to-g.from))
			if lo, hi = max(lo, from), min(hi, to); lo < hi {
				sum.add(g, c, lo, hi, &by)
			}
		}
	})
	return sum.why()
}

// candidates sums, for each site, then free, then an unknown site, what gaps say of it.
type candidates struct {
	*worker
	list []Candidate // sums, weighted by waiting
	most []float64   // the highest probability: the thread is that of the gap that has it
	ns   float64     // waiting
}

// add adds [lo, hi), in a cell of a gap; by has the probabilities by the kinds of evidence.
func (cs *candidates) add(g *gap, c int, lo, hi int64, by *[evidences][]byCell) {
	weight := g.waited(hi) - g.waited(lo)
	cs.ns += weight
	for s := range cs.list {
		of := &cs.list[s]
		for kind := range evidences {
			of.After[kind] += weight * by[kind][s][c]
		}
		p := by[evidences-1][s][c]
		of.Chance += weight * p
		if p > cs.most[s] && s < len(cs.group.sites) {
			cs.most[s], of.Thread = p, cs.holder(g, s, lo, hi)
			if own := cs.post.own[c]; s == g.site && own > cs.post.site[s][c] {
				of.Thread = g.thread
			}
		}
	}
}

func (cs *candidates) why() Why {
	w, free := Why{Ns: int64(cs.ns + .5)}, len(cs.group.sites)
	for s, of := range cs.list {
		if of.Chance <= 0 {
			continue
		}
		switch of.State = Held; {
		case s == free:
			of.State = Free
		case s > free:
			of.State = Unknown
		default:
			of.Stack = cs.group.sites[s].stack
		}
		of.Chance /= cs.ns
		for kind := range of.After {
			of.After[kind] /= cs.ns
		}
		w.Candidates = append(w.Candidates, of)
	}
	slices.SortStableFunc(w.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Chance, a.Chance) })
	return w
}

// posteriorBy returns the probabilities of each site, of free and of an unknown site in a gap, by
// the kinds of evidence up to last; nil if no path explains it.
func (w *worker) posteriorBy(g *gap, last Evidence) []byCell {
	some := *g
	if last < Next {
		some.ended = false
	}
	if last < Alibis {
		some.arrivals, some.blocked = nil, make([]float64, len(g.blocked))
	}
	some.seen = slices.DeleteFunc(slices.Clone(g.seen), func(x sighting) bool { return x.kind() > last })
	w.observer.hidden = last < Shown // of what is left, that hides dumps
	post := w.infer(&some)
	w.observer.hidden = false // for the gaps that follow
	if post == nil {
		return nil
	}
	sites := len(w.group.sites)
	out := append(slices.Clone(post.site), post.free, byCell{})
	own := sites + 1
	if g.site >= 0 {
		own = g.site
	}
	for c := range cells {
		out[own][c] += post.own[c]
		if last < Checked {
			continue
		}
		all := 0.0
		for s := range out {
			if s <= sites {
				out[s][c] *= w.group.factor[s]
			}
			all += out[s][c]
		}
		for s := range out {
			out[s][c] /= max(all, 1e-12)
		}
	}
	return out
}

func (x *sighting) kind() Evidence {
	switch {
	case x.seen.What == Holds:
		return Shown
	case len(x.in) == 0:
		return Alibis
	case x.seen.What == Sample:
		return Samples
	}
	return Activities
}
