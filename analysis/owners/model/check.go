package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// Agreement counts dumps that were hidden from the model, which was then asked for the owner
// at their instants.
type Agreement struct {
	Dumps          int
	Waiters        int64 // threads that waited then
	Agreeing       int64 // of Waiters: those at dumps that show the model's most likely state
	SquaredWaiters int64 // the sum of the squares of the waiting threads at each dump
}

func (a *Agreement) Merge(o Agreement) {
	a.Dumps += o.Dumps
	a.Waiters += o.Waiters
	a.Agreeing += o.Agreeing
	a.SquaredWaiters += o.SquaredWaiters
}

// EffectiveN returns the effective number of dumps (Kish): (sum of waiters)² / sum of waiters². A
// dump with a hundred waiters is still one observation.
func (a *Agreement) EffectiveN() float64 {
	return float64(a.Waiters) * float64(a.Waiters) / float64(max(a.SquaredWaiters, 1))
}

// Interval returns half of the 95 % interval of a share of the waiting, by the dumps as a survey of it (Agresti and
// Coull, Am. Stat. 52, 1998); false if they are too few.
func (a *Agreement) Interval(share float64) (half float64, ok bool) {
	if a.Dumps < fewSurveyed {
		return 0, false
	}
	n := a.EffectiveN()
	share = (share*n + 2) / (n + 4)
	return 1.96 * math.Sqrt(share*(1-share)/(n+4)), true
}

func (a *Agreement) Share() float64 { return float64(a.Agreeing) / float64(max(a.Waiters, 1)) }

// count adds a dump with threads that wait.
func (a *Agreement) count(waiters int64, agrees bool) {
	a.Dumps++
	a.Waiters += waiters
	a.SquaredWaiters += waiters * waiters
	if agrees {
		a.Agreeing += waiters
	}
}

// instant is what a dump or a sample shows of a lock.
type instant struct {
	time    int64
	shows   int // a site, or the number of sites: that the lock is free
	sample  bool
	thread  format.ThreadID // of a sample
	waiters int64
}

// check infers the instants of dumps and samples without them, compares the posterior with
// what they show, and finds factors that correct how often each site and free are named.
func (gr *Group) check() {
	sites := len(gr.sites)
	gr.factor = make([]float64, sites+1)
	for i := range gr.factor {
		gr.factor[i] = 1
	}
	w := gr.worker()
	defer w.release()
	all, total := w.instants()
	for i, l := range gr.locks {
		l.survey = newSurvey(all[i], sites)
	}
	if total < fewInstants || sites == 0 {
		return
	}
	step := max(1, total/someGaps)
	f := fitter{group: gr, sampled: make([]bool, sites+1)}
	w.observer.hidden = true
	for i, l := range gr.locks {
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
		w.compare(l, some, &f)
	}
	f.correct()
	w.observer.hidden = false
	for _, l := range gr.locks {
		if l.survey.n >= fewSurveyed {
			l.survey.check(w.modelShares(l))
		}
	}
}

// compare infers the gaps of a lock that some instants, by time, are in.
func (w *worker) compare(l *Lock, some []instant, f *fitter) {
	next, at := 0, 0 // the first instants that are not before a gap: gaps are cut ahead of being inferred
	in := func(g *gap) bool {
		for next < len(some) && some[next].time < g.from {
			next++
		}
		return next < len(some) && some[next].time < g.to
	}
	w.gaps(l, in, func(g *gap) {
		post := w.infer(g)
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
				l.Seen.count(s.waiters, says[s.shows] == slices.Max(says))
			} else {
				f.sampled[s.shows] = true
			}
			f.list = append(f.list, comparison{says, s.shows, s.sample})
		}
	})
}

// instants returns what dumps and samples show, by lock.
func (w *worker) instants() (all [][]instant, total int) {
	gr := w.group
	all = make([][]instant, len(gr.locks))
	samples := w.samplesAtSites()
	for i, l := range gr.locks {
		for j := range l.Dumps {
			d := &l.Dumps[j]
			s := len(gr.sites)
			if d.Owner != format.NoThread {
				if s = w.stacks.siteOf(d.Took); s < 0 {
					s = w.stacks.innermost(d.Stack, true)
				}
			}
			if s >= 0 {
				all[i] = append(all[i], instant{time: d.Time, shows: s, waiters: int64(max(d.Waiters, 1))})
			}
		}
		if len(samples) > 0 {
			w.lock.load(gr, l)
			busy := waiting(w.lock.waits)
			for _, s := range samples {
				if l.uses[s.shows] && s.time >= l.from && s.time < l.to && cover(busy, s.time) &&
					w.lock.users.number(s.thread) >= 0 {
					all[i] = append(all[i], s)
				}
			}
		}
		total += len(all[i])
	}
	return all, total
}

// samplesAtSites returns the samples on the paths of sites.
func (w *worker) samplesAtSites() (list []instant) {
	w.group.program.Samples(
		w.group.locks[0].ID,
		math.MinInt64,
		math.MaxInt64,
		math.MaxInt,
		func(t format.ThreadID, at int64, stack format.StackID) {
			if s := w.stacks.innermost(stack, false); s >= 0 {
				list = append(list, instant{time: at, shows: s, sample: true, thread: t})
			}
		},
	)
	return list
}

// comparison is what an instant shows, and what the model says without it.
type comparison struct {
	says   []float64 // by site, then of free: probabilities
	shows  int
	sample bool
}

// fitter finds the factors by which the posterior is corrected.
type fitter struct {
	group   *Group
	list    []comparison
	sampled []bool // by site: a sample shows it
}

// correct sets the factors of a group: first of the methods, then of the sites within them,
// then of free against held, which samples do not show.
func (f *fitter) correct() {
	if len(f.list) < fewInstants {
		return
	}
	free := len(f.group.sites)
	for _, o := range f.list {
		for s := range o.says {
			if o.sample && (s == free || !f.sampled[s]) {
				o.says[s] = 0
			} else {
				o.says[s] += saidAtLeast
			}
		}
	}
	methods := make([]int, free+1)
	each := make([]int, free+1)
	held := make([]int, free+1)
	of := map[uint64]int{}
	for i, s := range f.group.sites {
		m, ok := of[s.method]
		if !ok {
			m = len(of)
			of[s.method] = m
		}
		methods[i], each[i] = m, i
	}
	methods[free] = len(of)
	each[free] = free
	held[free] = 1
	f.fit(methods, true)
	f.fit(each, true)
	f.fit(held, false)
}

// fit multiplies the factor of each state by that of its group. Without amongSites, the groups
// are held and free. With q[i,g] what the model says of group g at instant i, the sum over its
// states, factors F are those for which the model says each group as often as it is shown:
//
//	shown[g] + checkCounts q[g] =
//		sum over i of F[g] q[i,g] / sum over h of F[h] q[i,h] +
//		checkCounts F[g] q[g] / sum over h of F[h] q[h]
//
// where q[g] is the part of group g in all that the model says. This is the maximum of a
// likelihood, found by iterative scaling: F[g] is set to the left side over the sums of the
// right one without F[g].
func (f *fitter) fit(group []int, amongSites bool) {
	factors := f.group.factor
	groups := slices.Max(group) + 1
	use, mean := f.usable(group, groups, amongSites)
	if len(use) < fewCompared {
		return
	}
	factor := make([]float64, groups)
	for i := range factor {
		factor[i] = 1
	}
	for range fitRounds {
		z := 0.0
		for i := range factor {
			z += factor[i] * mean[i]
		}
		shown, said := make([]float64, groups), make([]float64, groups)
		for i := range factor {
			shown[i], said[i] = checkCounts*mean[i], checkCounts*mean[i]/z
		}
		for _, o := range use {
			z := 0.0
			for s, v := range o.says {
				z += factor[group[s]] * v
			}
			shown[group[o.shows]]++
			for s, v := range o.says {
				said[group[s]] += v / z
			}
		}
		for i := range factor {
			if said[i] > 1e-9 {
				factor[i] = min(largestFactor, max(1/largestFactor, shown[i]/said[i]))
			}
		}
	}
	before, after := 0.0, 0.0
	for _, o := range use {
		for s, v := range o.says {
			before, after = before+v, after+v*factor[group[s]]
		}
	}
	for s := range factors {
		factors[s] *= factor[group[s]]
		if amongSites && s < len(f.group.sites) { // how much is held stays
			factors[s] *= before / after
		}
	}
}

// usable returns the comparisons that tell the groups apart, corrected by the factors so far,
// and what they say of each group on average.
func (f *fitter) usable(group []int, groups int, amongSites bool) (use []comparison, mean []float64) {
	free, total := len(f.group.sites), 0.0
	mean = make([]float64, groups)
	for _, o := range f.list {
		if amongSites && o.shows == free || !amongSites && o.sample {
			continue
		}
		o.says = slices.Clone(o.says)
		for s := range o.says {
			o.says[s] *= f.group.factor[s]
			if amongSites && s == free {
				o.says[s] = 0
			}
			mean[group[s]] += o.says[s]
			total += o.says[s]
		}
		use = append(use, o)
	}
	for i := range mean {
		mean[i] /= total
	}
	return use, mean
}
