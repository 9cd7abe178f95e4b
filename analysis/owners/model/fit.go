package model

import "slices"

// comparison is what an instant shows, and what the model says without it.
type comparison struct {
	says   []float64 // by site, then of free: probabilities
	shows  int
	sample bool
}

// fitter finds the factors by which the posterior is corrected.
type fitter struct {
	class   *Class
	list    []comparison
	sampled []bool // by site: a sample shows it
}

// correct sets the factors of a class: first of the methods, then of the sites within them,
// then of free against held, which samples do not show.
func (f *fitter) correct() {
	if len(f.list) < fewInstants {
		return
	}
	free := len(f.class.sites)
	for _, o := range f.list {
		for s := range o.says {
			if o.sample && (s == free || !f.sampled[s]) {
				o.says[s] = 0
			} else {
				o.says[s] += saidAtLeast
			}
		}
	}
	methods, each, held := make([]int, free+1), make([]int, free+1), make([]int, free+1)
	of := map[uint64]int{}
	for i, s := range f.class.sites {
		m, ok := of[s.method]
		if !ok {
			m = len(of)
			of[s.method] = m
		}
		methods[i], each[i] = m, i
	}
	methods[free], each[free], held[free] = len(of), free, 1
	f.fit(methods, true)
	f.fit(each, true)
	f.fit(held, false)
}

// fit multiplies the factor of each state by that of its group. Without amongSites, the groups
// are held and free. With q[i,g] what the model says of group g at instant i, the sum over its
// states, factors F are those for which the model says each group as often as it is shown:
//
//	shown[g] + checkCounts q[g] = sum over i of F[g] q[i,g] / sum over h of F[h] q[i,h] + checkCounts F[g] q[g] / sum over h of F[h] q[h]
//
// where q[g] is the part of group g in all that the model says. This is the maximum of a
// likelihood, found by iterative scaling: F[g] is set to the left side over the sums of the
// right one without F[g].
func (f *fitter) fit(group []int, amongSites bool) {
	factors := f.class.factor
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
		if amongSites && s < len(f.class.sites) { // how much is held stays
			factors[s] *= before / after
		}
	}
}

// usable returns the comparisons that tell the groups apart, corrected by the factors so far,
// and what they say of each group on average.
func (f *fitter) usable(group []int, groups int, amongSites bool) (use []comparison, mean []float64) {
	free, total := len(f.class.sites), 0.0
	mean = make([]float64, groups)
	for _, o := range f.list {
		if amongSites && o.shows == free || !amongSites && o.sample {
			continue
		}
		o.says = slices.Clone(o.says)
		for s := range o.says {
			o.says[s] *= f.class.factor[s]
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
