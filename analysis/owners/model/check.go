package model

import (
	"cmp"
	"slices"

	"contend/format"
)

// Agreement counts dumps that were hidden from the model, which was then asked who
// held the lock at their instants.
type Agreement struct {
	Dumps   int
	Asked   int64 // threads that waited then
	Agrees  int64 // of Asked: where the most likely state is what the dump shows
	Squares int64 // the sum of the squares of how many waited at each
}

// instant of a lock that a dump or a sample shows.
type sight struct {
	time   int64
	site   int // what it shows; the number of sites: that the lock is free
	sample bool
	weight int64 // threads that wait
}

// compared is what an instant shows, and what the model says of it without.
type compared struct {
	says   []float64 // by site, and that it is free
	shown  int
	sample bool
}

// Check holds the model without dumps and samples against them, and corrects how often
// it says each site and that a lock is free.
func (c *Class) Check() {
	sites := len(c.sites)
	c.factor = make([]float64, sites+1)
	for i := range c.factor {
		c.factor[i] = 1
	}
	k := c.worker()
	defer k.release()
	all, total := k.sights()
	if total < 4 || sites == 0 {
		return
	}
	step := max(1, total/someGaps)
	var list []compared
	sampled := make([]bool, sites+1)
	k.bare = true
	for i, l := range c.Locks {
		sights := all[i]
		if len(sights) == 0 {
			continue
		}
		slices.SortFunc(sights, func(a, b sight) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.site, b.site))
		})
		some := sights[:0]
		for i := 0; i < len(sights); i += step {
			some = append(some, sights[i])
		}
		next := 0
		of := func(g *gap) bool {
			for next < len(some) && some[next].time < g.from {
				next++
			}
			return next < len(some) && some[next].time < g.to
		}
		at := 0
		k.gaps(l, of, func(g *gap) {
			ok := k.run(l, g, nil)
			for at < len(some) && some[at].time < g.from {
				at++
			}
			for ; ok && at < len(some) && some[at].time < g.to; at++ {
				s := &some[at]
				cell := cellOf(float64(s.time-g.from) / float64(g.to-g.from))
				said := make([]float64, sites+1)
				for i := range k.post.site {
					said[i] = k.post.site[i][cell]
				}
				if g.site >= 0 {
					said[g.site] += k.post.own[cell]
				}
				said[sites] = k.post.free[cell]
				if !s.sample {
					l.Seen.add(s.weight, said[s.site] == slices.Max(said))
				} else {
					sampled[s.site] = true
				}
				list = append(list, compared{said, s.site, s.sample})
			}
		})
	}
	c.correct(list, sampled)
}

func (a *Agreement) add(waiters int64, agrees bool) {
	a.Dumps++
	a.Asked += waiters
	a.Squares += waiters * waiters
	if agrees {
		a.Agrees += waiters
	}
}

// sights returns what dumps and samples show, by lock.
func (k *worker) sights() (all [][]sight, total int) {
	c := k.class
	all = make([][]sight, len(c.Locks))
	type ran struct {
		time int64
		site int
	}
	var runs []ran
	first, last := int64(1<<62), int64(0)
	for _, l := range c.Locks {
		first, last = min(first, l.from), max(last, l.to)
	}
	c.program.Runs(first, last, func(_ format.ThreadID, at int64, stack format.StackID) {
		if s := k.shown(stack, false); s >= 0 {
			runs = append(runs, ran{at, s})
		}
	})
	for i, l := range c.Locks {
		for j := range l.Dumps {
			d := &l.Dumps[j]
			s := len(c.sites)
			if d.Owner != format.NoThread {
				if s = k.siteOf(d.Took); s < 0 {
					s = k.shown(d.Stack, true)
				}
			}
			if s >= 0 {
				all[i] = append(all[i], sight{time: d.Time, site: s, weight: int64(max(d.Waiters, 1))})
			}
		}
		if len(runs) > 0 {
			k.load(l)
			busy := whenWaited(k.waits)
			for _, r := range runs {
				if l.uses[r.site] && r.time >= l.from && r.time < l.to && busy.at(r.time) {
					all[i] = append(all[i], sight{time: r.time, site: r.site, sample: true})
				}
			}
		}
		total += len(all[i])
	}
	return all, total
}

// correct finds the factors: of methods, of sites, and of whether the lock is free, for
// which samples do not tell.
func (c *Class) correct(list []compared, sampled []bool) {
	if len(list) < 4 {
		return
	}
	free := len(c.sites)
	for _, o := range list {
		for s := range o.says {
			if o.sample && (s == free || !sampled[s]) {
				o.says[s] = 0
			} else {
				o.says[s] += 0.002
			}
		}
	}
	methods, each, held := make([]int, free+1), make([]int, free+1), make([]int, free+1)
	of := map[uint64]int{}
	for i, s := range c.sites {
		m, ok := of[s.method]
		if !ok {
			m = len(of)
			of[s.method] = m
		}
		methods[i], each[i] = m, i
	}
	methods[free], each[free], held[free] = len(of), free, 1
	c.fit(list, methods, checkCounts, true)
	c.fit(list, each, checkCounts, true)
	c.fit(list, held, checkCounts, false)
}

// fit finds a factor for each group of states for which, all instants together, what is
// said is what is shown, as if some more had shown what is said.
func (c *Class) fit(list []compared, group []int, counts float64, held bool) {
	free := len(c.sites)
	groups := slices.Max(group) + 1
	var use []compared
	mean, total := make([]float64, groups), 0.0
	for _, o := range list {
		if held && o.shown == free || !held && o.sample {
			continue
		}
		o.says = slices.Clone(o.says)
		for s := range o.says {
			o.says[s] *= c.factor[s]
			if held && s == free {
				o.says[s] = 0
			}
			mean[group[s]] += o.says[s]
			total += o.says[s]
		}
		use = append(use, o)
	}
	if len(use) < 3 {
		return
	}
	factor := make([]float64, groups)
	for i := range factor {
		factor[i] = 1
		mean[i] /= total
	}
	for range fitRounds {
		z := 0.0
		for i := range factor {
			z += factor[i] * mean[i]
		}
		shown, said := make([]float64, groups), make([]float64, groups)
		for i := range factor {
			shown[i], said[i] = counts*mean[i], counts*mean[i]/z
		}
		for _, o := range use {
			z := 0.0
			for s, v := range o.says {
				z += factor[group[s]] * v
			}
			shown[group[o.shown]]++
			for s, v := range o.says {
				said[group[s]] += v / z
			}
		}
		for i := range factor {
			if said[i] > 1e-9 {
				factor[i] = min(1e3, max(1e-3, shown[i]/said[i]))
			}
		}
	}
	before, after := 0.0, 0.0
	for _, o := range use {
		for s, v := range o.says {
			before, after = before+v, after+v*factor[group[s]]
		}
	}
	for s := range c.factor {
		c.factor[s] *= factor[group[s]]
		if held && s < free { // sites among themselves
			c.factor[s] *= before / after
		}
	}
}
