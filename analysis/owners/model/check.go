package model

import (
	"cmp"
	"slices"

	"contend/format"
)

// Agreement counts dumps that were hidden from the model, which was then asked for the owner
// at their instants.
type Agreement struct {
	Dumps   int
	Asked   int64 // threads that waited then
	Agrees  int64 // of Asked: those at dumps that show the model's most likely state
	Squares int64 // the sum of the squares of the waiting threads at each dump
}

// Merge adds another one.
func (a *Agreement) Merge(o Agreement) {
	a.Dumps += o.Dumps
	a.Asked += o.Asked
	a.Agrees += o.Agrees
	a.Squares += o.Squares
}

// Instants returns how many dumps with as many waiting threads each would say as much: one at
// which a hundred threads wait is still one instant.
func (a *Agreement) Instants() float64 {
	return float64(a.Asked) * float64(a.Asked) / float64(max(a.Squares, 1))
}

// Share returns the part of the waiting threads that agrees.
func (a *Agreement) Share() float64 { return float64(a.Agrees) / float64(max(a.Asked, 1)) }

func (a *Agreement) add(waiters int64, agrees bool) {
	a.Dumps++
	a.Asked += waiters
	a.Squares += waiters * waiters
	if agrees {
		a.Agrees += waiters
	}
}

// instant is what a dump or a sample shows of a lock.
type instant struct {
	time    int64
	shows   int // a site, or the number of sites: that the lock is free
	sample  bool
	waiters int64
}

// Check infers the instants of dumps and samples without them, compares the posterior with
// what they show, and finds factors that correct how often each site and free are named.
func (c *Class) Check() {
	sites := len(c.sites)
	c.factor = make([]float64, sites+1)
	for i := range c.factor {
		c.factor[i] = 1
	}
	k := c.worker()
	defer k.release()
	all, total := k.instants()
	if total < fewInstants || sites == 0 {
		return
	}
	step := max(1, total/someGaps)
	f := fitter{class: c, sampled: make([]bool, sites+1)}
	k.hide(true)
	for i, l := range c.Locks {
		if len(all[i]) == 0 {
			continue
		}
		slices.SortFunc(all[i], func(a, b instant) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.shows, b.shows))
		})
		some := all[i][:0]
		for j := 0; j < len(all[i]); j += step {
			some = append(some, all[i][j])
		}
		k.compare(l, some, &f)
	}
	f.correct()
}

// compare infers the gaps of a lock that some instants, by time, are in.
func (k *worker) compare(l *Lock, some []instant, f *fitter) {
	next, at := 0, 0 // the first instants that are not before a gap: gaps are cut ahead of being inferred
	in := func(g *gap) bool {
		for next < len(some) && some[next].time < g.from {
			next++
		}
		return next < len(some) && some[next].time < g.to
	}
	k.gaps(l, in, func(g *gap) {
		post := k.infer(l, g)
		for at < len(some) && some[at].time < g.from {
			at++
		}
		for ; post != nil && at < len(some) && some[at].time < g.to; at++ {
			s, sites := &some[at], len(post.site)
			cell := g.cellAt(s.time)
			says := make([]float64, sites+1)
			for i := range post.site {
				says[i] = post.site[i][cell]
			}
			if g.site >= 0 {
				says[g.site] += post.own[cell]
			}
			says[sites] = post.free[cell]
			if !s.sample {
				l.Seen.add(s.waiters, says[s.shows] == slices.Max(says))
			} else {
				f.sampled[s.shows] = true
			}
			f.list = append(f.list, comparison{says, s.shows, s.sample})
		}
	})
}

// instants returns what dumps and samples show, by lock.
func (k *worker) instants() (all [][]instant, total int) {
	c := k.class
	all = make([][]instant, len(c.Locks))
	samples := k.samplesAtSites()
	for i, l := range c.Locks {
		for j := range l.Dumps {
			d := &l.Dumps[j]
			s := len(c.sites)
			if d.Owner != format.NoThread {
				if s = k.stacks.siteOf(d.Took); s < 0 {
					s = k.stacks.innermost(d.Stack, true)
				}
			}
			if s >= 0 {
				all[i] = append(all[i], instant{time: d.Time, shows: s, waiters: int64(max(d.Waiters, 1))})
			}
		}
		if len(samples) > 0 {
			k.lock.load(c, l)
			busy := waiting(k.lock.waits)
			for _, s := range samples {
				if l.uses[s.shows] && s.time >= l.from && s.time < l.to && busy.cover(s.time) {
					all[i] = append(all[i], s)
				}
			}
		}
		total += len(all[i])
	}
	return all, total
}

// samplesAtSites returns the samples on the paths of sites.
func (k *worker) samplesAtSites() (list []instant) {
	first, last := int64(1<<62), int64(0)
	for _, l := range k.class.Locks {
		first, last = min(first, l.from), max(last, l.to)
	}
	k.class.program.Samples(first, last, func(_ format.ThreadID, at int64, stack format.StackID) {
		if s := k.stacks.innermost(stack, false); s >= 0 {
			list = append(list, instant{time: at, shows: s, sample: true})
		}
	})
	return list
}
