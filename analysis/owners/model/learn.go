package model

import "math"

// Learning is expectation maximisation (Baum-Welch: Rabiner 1989, III.C; for chains in
// continuous time with exponential phases, Asmussen, Nerman and Olsson 1996): a round sums what
// is expected to have happened in the gaps and sets each parameter to what makes that most
// probable. Every parameter is
//
//	rate = expected transitions / expected time,   share = expected transitions / their sum
//
// both with pseudo-counts, so that few gaps change little. With r one over the sum of x beta
// in a cell (see chain), the expected numbers in a gap are, summed over its cells,
//
//	entries at s(p)     = r dt η a[s] e[p] (sum of x f) beta s(p)
//	releases into f(j)  = r dt (sum of λ x) γ[j] beta f(j)
//	time free           = r dt (sum of x f beta f)
//
// and the acquirer's hold counts in phase p of its site with P(p) = w[p] beta o(p) / sum of the
// same.

// counts are expected numbers of events in some gaps.
type counts struct {
	entries []byPhase // by site, the acquirers' holds among them
	enters  []float64 // by site, of the current lock: entries without a wait
	lags    byLag     // releases
	n, free float64   // entries without a wait, and free time in ns
	each    float64   // gaps that the current one stands for
}

// count adds what is expected in a cell of a gap; r is n.each over the sum of x beta.
func (h *chain) count(c int, n *counts, r, isFree float64) {
	dt, lags := h.steps.dt[c], &h.group.lags
	for i := range h.lumps {
		y := &h.lumps[i]
		a := dt * h.group.entry * y.can[c] * h.isF[c] * r
		for p := range phases {
			y.entered[p] += a * y.enter[p] * y.beta[p]
		}
	}
	for j := range lagPhases {
		n.lags[j] += lags[j] * h.free[j] * r * h.isH[c]
	}
	n.free += isFree * r * dt
}

// countSites divides the entries of the lumps in a gap among their sites, and adds the
// acquirer's hold.
func (h *chain) countSites(ev *evidence, n *counts) {
	for s := range h.group.sites {
		y := &h.lumps[h.lumpOf[s]]
		for p, part := range h.partOf[s] {
			v := y.entered[p] * part
			n.entries[s][p] += v
			n.enters[s] += v
			n.n += v
		}
	}
	if !ev.acquired || ev.site < 0 {
		return
	}
	own, first := &h.lumps[len(h.lumps)-1].beta, &h.group.sites[ev.site].holds
	each := n.each / own.dot(first)
	for p := range phases {
		n.entries[ev.site][p] += each * first[p] * own[p]
	}
}

// learn learns the parameters of the group and its locks from some gaps of the recording.
func (c *Group) learn() {
	c.prior()
	if len(c.sites) == 0 {
		return
	}
	k := c.worker()
	defer k.release()
	list := k.listShapes(max(1, c.waits/someGaps))
	for range rounds {
		c.round(&k.chain, list)
	}
}

// round does one round of expectation maximisation.
func (c *Group) round(h *chain, list []shape) {
	sites := len(c.sites)
	all := counts{entries: make([]byPhase, sites)}
	byLock := make([][]float64, len(c.locks))
	for i := range list {
		s := &list[i]
		if byLock[s.lock] == nil {
			byLock[s.lock] = make([]float64, sites)
		}
		all.enters, all.each = byLock[s.lock], s.n
		h.infer(c.locks[s.lock], &s.evidence, &all, nil)
	}
	c.maximise(&all, byLock)
}

// prior sets the parameters before anything is learned:
//
//	w[p] ~ holdFall ^ |log(1/λ[p] / usual) / log(holdFallStep)|    γ[j] ~ lagFall ^ j
//	m[s] ~ uses of the lock at s + groupCounts * the group's share of s + anyCounts
func (c *Group) prior() {
	c.entry = 1 / usual
	for j := range lagPhases {
		c.lags[j] = math.Pow(lagFall, float64(j))
	}
	normalise(c.lags[:])
	total := 0.0
	for _, s := range c.sites {
		total += s.n
		for p := range phases {
			s.holds[p] = math.Pow(holdFall, math.Abs(math.Log(holdMean[p]/usual)/math.Log(holdFallStep)))
		}
		normalise(s.holds[:])
	}
	k := c.worker()
	defer k.release()
	for _, l := range c.locks {
		own := make([]float64, len(c.sites))
		k.lock.load(c, l)
		for i := range k.lock.waits {
			if s := k.stacks.siteOf(k.lock.waits[i].Stack); s >= 0 {
				own[s]++
			}
		}
		for i := range l.Dumps {
			if s := k.stacks.siteOf(l.Dumps[i].Took); s >= 0 {
				own[s]++
			}
		}
		l.mix, l.uses = make([]float64, len(c.sites)), make([]bool, len(c.sites))
		for s, x := range c.sites {
			l.uses[s] = own[s] > 0 || x.of[l] || !x.silent && l.n < fewWaits
			l.mix[s] = own[s] + groupCounts*x.n/total + anyCounts
		}
		l.normaliseMix()
	}
}

// maximise sets the parameters to the expected counts with their pseudo-counts:
//
//	w[s,p] ~ entries s(p) + holdCounts * the group's mean w[p]    m[s] ~ entries of the lock at s + mixCounts
//	γ[j] ~ releases into f(j) + lagFall ^ j                       η = entries / time free
func (c *Group) maximise(all *counts, byLock [][]float64) {
	var mean byPhase
	for p := range phases {
		mean[p] = phaseCounts
		for s := range c.sites {
			mean[p] += all.entries[s][p]
		}
	}
	normalise(mean[:])
	for i, s := range c.sites {
		for p := range phases {
			s.holds[p] = all.entries[i][p] + holdCounts*mean[p]
		}
		normalise(s.holds[:])
	}
	for j := range lagPhases {
		c.lags[j] = all.lags[j] + math.Pow(lagFall, float64(j))
	}
	normalise(c.lags[:])
	c.entry = min(1/shortestHold, max(1/slowestEntry, (all.n+entryCounts)/(all.free+entryCounts*usual)))
	for i, l := range c.locks {
		for s := range c.sites {
			l.mix[s] = mixCounts
			if by := byLock[i]; by != nil {
				l.mix[s] += by[s]
			}
		}
		l.normaliseMix()
	}
}

// normaliseMix makes the mix sum to one, with next to nothing for sites where the lock is not
// acquired.
func (l *Lock) normaliseMix() {
	for s, uses := range l.uses {
		if !uses {
			l.mix[s] = nobodyKnown
		}
	}
	normalise(l.mix)
}

func normalise(list []float64) {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	for i := range list {
		list[i] /= sum
	}
}
