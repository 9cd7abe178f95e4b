package model

import "math"

// survey is what instants show of a lock while threads wait for it: those of dumps, and of samples by an
// agent. It is a sample of the waiting, so that it comes the closer to the truth the more instants there are,
// which the model does not.
type survey struct {
	n      int          // instants
	shares []float64    // by site, then of free: of the threads that waited at the instants
	halves [2][]float64 // the same of every second instant
	size   float64      // the effective number of instants (Kish): one with a hundred waiters is still one
	right  []float64    // by site, then of free: the part that is right by the halves; nil if they are few
}

// newSurvey returns the survey of the instants of a lock. Samples of running threads are left out: they show
// neither that the lock is free nor owners that do not run.
func newSurvey(list []instant, sites int) survey {
	s := survey{
		shares: make([]float64, sites+1),
		halves: [2][]float64{make([]float64, sites+1), make([]float64, sites+1)},
	}
	var sum Agreement
	for i := range list {
		x := &list[i]
		if x.sample {
			continue
		}
		s.shares[x.shows] += float64(x.waiters)
		s.halves[s.n%2][x.shows] += float64(x.waiters)
		s.n++
		sum.count(x.waiters, true)
	}
	s.size = sum.EffectiveN()
	normalise(s.shares)
	normalise(s.halves[0])
	normalise(s.halves[1])
	return s
}

// weight returns the part of the waiting that n instants charge; the model charges the rest.
func (s *survey) weight(n float64) float64 { return n / (n + surveyCounts) }

// given sets to to what a gap is charged by the survey: the shares of the sites are weighted by how much of
// their users may be there in the gap, and scaled to what is held. If the survey shows none of these sites, it
// is what all gaps are.
func (s *survey) given(e *evidence, to []float64) []float64 {
	to = append(to[:0], s.shares...)
	held, sum := 0.0, 0.0
	for i := range e.can {
		may := 0.0
		for c, v := range e.can[i] {
			may += v * (bounds[c+1] - bounds[c])
		}
		if e.acquired && i == e.site {
			may++ // the acquirer's own hold
		}
		held += to[i]
		to[i] *= may
		sum += to[i]
	}
	if sum <= 0 {
		return append(to[:0], s.shares...)
	}
	for i := range e.can {
		to[i] *= held / sum
	}
	return to
}

// check sets right, given the shares that the model charges. An answer is made from one half of the instants
// and the model, and compared with the other half; what their difference exceeds the chance of so few
// instants by is the error. It is not less than the chance of all instants. Of an error half is charged to a
// state that is charged too much:
//
//	error^2 = mean over halves of (answer - shown)^2 - p (1 - p) / (size / 2),   right = 1 - error / 2 answer
func (s *survey) check(model []float64) {
	if s.n < fewSurveyed {
		return
	}
	s.right = make([]float64, len(s.shares))
	half, all := s.weight(float64(s.n)/2), s.weight(float64(s.n))
	for i := range s.right {
		p := (s.shares[i]*s.size + 0.5) / (s.size + 1)
		squares := 0.0
		for h := range s.halves {
			d := half*s.halves[h][i] + (1-half)*model[i] - s.halves[1-h][i]
			squares += max(0, d*d-p*(1-p)/(s.size/2)) / 2
		}
		answer := all*s.shares[i] + (1-all)*model[i]
		chance := math.Sqrt(2 / math.Pi * answer * (1 - answer) / (s.size + 1))
		wrong := max(math.Sqrt(squares), chance) / 2
		s.right[i] = max(0, 1-wrong/max(answer, impossible))
	}
}

// modelShares returns the shares of a lock's waiting that the model charges to the sites, then to free, by some
// of its gaps.
func (w *worker) modelShares(l *Lock) []float64 {
	sites := len(w.group.sites)
	sum := make([]float64, sites+1)
	step := max(1, l.n/surveyedGaps)
	w.gaps(l, func(g *gap) bool { return g.number%step == 0 }, func(g *gap) {
		post := w.infer(g)
		if post == nil {
			return
		}
		area, _ := g.waitedByCell()
		factor, ofOwn, scale := w.corrections(g, post)
		for c := range cells {
			part := area[c] * scale[c]
			for s := range post.site {
				sum[s] += post.site[s][c] * factor[s] * part
			}
			sum[sites] += post.free[c] * factor[sites] * part
			if g.site >= 0 {
				sum[g.site] += post.own[c] * ofOwn * part
			}
		}
	})
	normalise(sum)
	return sum
}
