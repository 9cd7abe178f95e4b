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

// Learned is what is known of the locks of one class and kind by the recordings of a program so far: sums of
// expected counts. The zero value is of no recording.
type Learned struct {
	gaps    int                 // that it was learned from
	entries map[uint64]*byPhase // by the key of a site
	lags    byLag
	n, free float64
}

// Merge adds what was learned from another recording.
func (k *Learned) Merge(o *Learned) {
	if k.entries == nil {
		k.entries = map[uint64]*byPhase{}
	}
	for key, entries := range o.entries {
		sum := k.entries[key]
		if sum == nil {
			sum = &byPhase{}
			k.entries[key] = sum
		}
		for p, v := range entries {
			sum[p] += v
		}
	}
	for j, v := range o.lags {
		k.lags[j] += v
	}
	k.gaps += o.gaps
	k.n += o.n
	k.free += o.free
}

// Learned returns what was learned from the recording of the group alone: nothing where it took over what was known.
func (gr *Group) Learned() *Learned {
	all := &gr.counts
	if all.entries == nil {
		return &Learned{}
	}
	k := &Learned{
		gaps:    min(gr.waits, someGaps),
		entries: make(map[uint64]*byPhase, len(gr.sites)),
		lags:    all.lags,
		n:       all.n,
		free:    all.free,
	}
	for i, s := range gr.sites {
		k.entries[s.key] = &all.entries[i]
	}
	return k
}

// countsFor returns the counts of a group; false if too few gaps were learned from, or none at one of its sites.
func (k *Learned) countsFor(gr *Group) (counts, bool) {
	if k == nil || k.gaps < someGaps {
		return counts{}, false
	}
	all := counts{entries: make([]byPhase, len(gr.sites)), lags: k.lags, n: k.n, free: k.free}
	for i, s := range gr.sites {
		sum := k.entries[s.key]
		if sum == nil {
			return all, false
		}
		all.entries[i] = *sum
	}
	return all, true
}

// learn learns the parameters of the group and its locks from some gaps of the recording. Where known says those of
// the group, only the mix of each lock is learned, from fewer gaps.
func (gr *Group) learn(known *Learned) {
	gr.prior()
	if len(gr.sites) == 0 {
		return
	}
	gaps, n := someGaps, rounds
	all, shared := known.countsFor(gr)
	if shared {
		gr.maximise(&all)
		gaps, n = mixedGaps, 1
	}
	w := gr.worker()
	defer w.release()
	w.evidence.learning = true
	list := w.listShapes(max(1, gr.waits/gaps))
	w.evidence.learning = false
	for range n {
		all, byLock := gr.expect(&w.chain, list)
		if !shared {
			gr.maximise(&all)
			gr.counts = all
		}
		gr.maximiseMix(byLock)
	}
}

// expect returns what is expected to have happened in some gaps, and the entries at each site, by lock.
func (gr *Group) expect(ch *chain, list []shape) (all counts, byLock [][]float64) {
	sites := len(gr.sites)
	all.entries = make([]byPhase, sites)
	byLock = make([][]float64, len(gr.locks))
	for i := range list {
		s := &list[i]
		if byLock[s.lock] == nil {
			byLock[s.lock] = make([]float64, sites)
		}
		all.enters, all.each = byLock[s.lock], s.n
		ch.infer(gr.locks[s.lock], &s.evidence, &all, nil)
	}
	return all, byLock
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

// maximise sets the parameters of the group to the expected counts with their pseudo-counts:
//
//	w[s,p] ~ entries s(p) + holdCounts * the group's mean w[p]
//	γ[j] ~ releases into f(j) + lagFall ^ j                       η = entries / time free
func (gr *Group) maximise(all *counts) {
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
}

// maximiseMix sets the mix of each lock: m[s] ~ entries of the lock at s + mixCounts.
func (gr *Group) maximiseMix(byLock [][]float64) {
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
