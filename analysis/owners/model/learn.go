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
func (ch *chain) count(c int, n *counts, r, isFree float64) {
	dt, lags := ch.steps.dt[c], &ch.group.lags
	for i := range ch.lumps {
		l := &ch.lumps[i]
		a := dt * ch.group.entry * l.can[c] * ch.isF[c] * r
		for p := range phases {
			l.entered[p] += a * l.enter[p] * l.beta[p]
		}
	}
	for j := range lagPhases {
		n.lags[j] += lags[j] * r * (ch.free[j]*ch.isH[c] + ch.early[j]*ch.isG[c])
	}
	n.free += isFree * r * dt
}

// countSites divides the entries of the lumps in a gap among their sites, and adds the
// acquirer's hold.
func (ch *chain) countSites(ev *evidence, n *counts) {
	for s := range ch.group.sites {
		l := &ch.lumps[ch.lumpOf[s]]
		for p, part := range ch.partOf[s] {
			v := l.entered[p] * part
			n.entries[s][p] += v
			n.enters[s] += v
			n.n += v
		}
	}
	if !ev.acquired || ev.site < 0 {
		return
	}
	own, first := &ch.lumps[len(ch.lumps)-1].beta, &ch.group.sites[ev.site].holds
	each := n.each / own.dot(first)
	for p := range phases {
		n.entries[ev.site][p] += each * first[p] * own[p]
	}
}

// learn learns the parameters of the group and its locks from some gaps of the recording.
func (gr *Group) learn() {
	gr.prior()
	if len(gr.sites) == 0 {
		return
	}
	w := gr.worker()
	defer w.release()
	w.evidence.learning = true
	list := w.listShapes(max(1, gr.waits/someGaps))
	w.evidence.learning = false
	for range rounds {
		gr.round(&w.chain, list)
	}
}

// round does one round of expectation maximisation.
func (gr *Group) round(ch *chain, list []shape) {
	sites := len(gr.sites)
	all := counts{entries: make([]byPhase, sites)}
	byLock := make([][]float64, len(gr.locks))
	for i := range list {
		s := &list[i]
		if byLock[s.lock] == nil {
			byLock[s.lock] = make([]float64, sites)
		}
		all.enters, all.each = byLock[s.lock], s.n
		ch.infer(gr.locks[s.lock], &s.evidence, &all, nil)
	}
	gr.maximise(&all, byLock)
}

// prior sets the parameters before anything is learned:
//
//	w[p] ~ holdFall ^ |log(1/λ[p] / usual) / log(holdFallStep)|    γ[j] ~ lagFall ^ j
//	m[s] ~ uses of the lock at s + groupCounts * the group's share of s + anyCounts
func (gr *Group) prior() {
	gr.entry = 1 / usual
	for j := range lagPhases {
		gr.lags[j] = math.Pow(lagFall, float64(j))
	}
	normalise(gr.lags[:])
	total := 0.0
	for _, s := range gr.sites {
		total += s.n
		for p := range phases {
			s.holds[p] = math.Pow(holdFall, math.Abs(math.Log(holdMean[p]/usual)/math.Log(holdFallStep)))
		}
		normalise(s.holds[:])
	}
	w := gr.worker()
	defer w.release()
	for _, l := range gr.locks {
		own := make([]float64, len(gr.sites))
		w.lock.load(gr, l)
		for i := range w.lock.waits {
			if s := w.stacks.siteOf(w.lock.waits[i].Stack); s >= 0 {
				own[s]++
			}
		}
		for i := range l.Dumps {
			if s := w.stacks.siteOf(l.Dumps[i].Took); s >= 0 {
				own[s]++
			}
		}
		l.mix, l.uses = make([]float64, len(gr.sites)), make([]bool, len(gr.sites))
		for s, x := range gr.sites {
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
func (gr *Group) maximise(all *counts, byLock [][]float64) {
	var mean byPhase
	for p := range phases {
		mean[p] = phaseCounts
		for s := range gr.sites {
			mean[p] += all.entries[s][p]
		}
	}
	normalise(mean[:])
	for i, s := range gr.sites {
		for p := range phases {
			s.holds[p] = all.entries[i][p] + holdCounts*mean[p]
		}
		normalise(s.holds[:])
	}
	for j := range lagPhases {
		gr.lags[j] = all.lags[j] + math.Pow(lagFall, float64(j))
	}
	normalise(gr.lags[:])
	gr.entry = min(1/shortestHold, max(1/slowestEntry, (all.n+entryCounts)/(all.free+entryCounts*usual)))
	for i, l := range gr.locks {
		for s := range gr.sites {
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
	if sum == 0 {
		return
	}
	for i := range list {
		list[i] /= sum
	}
}
