package model

import (
	"math"

	"contend/format/column"
)

// byPhase and byLag have a value for each exponential of the durations of holds and of lags.
type (
	byPhase [phases]float64
	byLag   [lagPhases]float64
)

// The rates of the exponentials, per ns, and the mean durations of holds.
var (
	holdMean, holdRate byPhase
	lagRate            byLag
)

func init() {
	for p := range phases {
		holdMean[p] = shortestHold * math.Pow(holdStep, float64(p))
		holdRate[p] = 1 / holdMean[p]
	}
	for j := range lagPhases {
		lagRate[j] = 1 / (shortestLag * math.Pow(lagStep, float64(j)))
	}
}

// The chain through a gap. Its states are o(p), the acquirer holds the lock in phase p of its
// duration; f(j), the lock is free in phase j of the lag; and s(p), it is held at site s. A
// mixture of exponentials is a choice of phase at the beginning, so that durations which are
// not exponential keep the chain Markov (a hidden semi-Markov model with its states expanded,
// Yu 2010). In one cell the rates are
//
//	o(p), s(p) -> f(j):   λ[p] γ[j]                the release
//	f(j) -> s(p):         η a[s] m[s] w[s,p]       an entry, an acquisition without a wait
//	f(j) -> end of gap:   μ[j]                     the acquisition that is recorded
//
//	λ, μ    holdRate, lagRate         η       Group.entry
//	γ[j]    Group.lags                m[s]    Lock.mix
//	w[s,p]  site.holds                a[s]    evidence.can
//
// Where the recorded previous owner is not the acquirer, an entry is certain (evidence.passed): the lock is free
// in g(j) instead of f(j) until there has been one, and the gap cannot end from there.
//
// f(j) is left at rate μ[j] + η altogether: entries at a site by users that cannot be there are
// paths of likelihood zero. Below, e[p] is m[s] w[s,p], summed over the sites of a lump (see
// lumps.go), and L the likelihood of the evidence in a cell.
//
// A cell is one implicit Euler step, x' = (1 - dt Q)^-1 x, which stays stable however long the
// cell is. It is exact for a cell whose duration is exponential with mean dt (Ross 1987).

// chain does the forward and backward passes for one gap at a time.
type chain struct {
	group  *Group
	steps  steps
	lumps  []lump    // of sites; a gap's last one may be the acquirer's hold, which is never entered
	lumpOf []int32   // by site
	partOf []byPhase // by site: its part of the entries of its lump

	free   byLag // alpha, then beta
	freeX  [cells]byLag
	early  byLag // the same of g(j)
	earlyX [cells]byLag
	isF    byCell // F, H and G of forward
	isH    byCell
	isG    byCell
}

func (ch *chain) reset(gr *Group) {
	ch.group = gr
	ch.lumpOf = make([]int32, len(gr.sites))
	ch.partOf = make([]byPhase, len(gr.sites))
}

// posterior is the probability of each state, by cell of a gap.
type posterior struct {
	site []byCell // by site: held there, entered after the acquirer released the lock
	own  byCell
	free byCell
}

// steps are the factors of the implicit steps through the cells of a gap.
type steps struct {
	dt    byCell         // length of the cell, ns
	stay  [cells]byPhase // 1 / (1 + dt λ[p])
	leave [cells]byPhase // dt λ[p] stay[p]: the part of the holds that is released in the cell
	wait  [cells]byLag   // 1 / (1 + dt (μ[j] + η))
	lag   byCell         // sum over j of γ[j] wait[j]
}

func (s *steps) set(length float64, gr *Group) {
	for i := range cells / 2 { // they are symmetric
		dt := length * (bounds[i+1] - bounds[i])
		for p := range phases {
			s.stay[i][p] = 1 / (1 + dt*holdRate[p])
			s.leave[i][p] = 1 - s.stay[i][p]
		}
		for j := range lagPhases {
			s.wait[i][j] = 1 / (1 + dt*(lagRate[j]+gr.entry))
		}
		m := cells - 1 - i
		s.dt[i], s.lag[i] = dt, gr.lags.dot(&s.wait[i])
		s.dt[m] = dt
		s.lag[m] = s.lag[i]
		s.stay[m] = s.stay[i]
		s.leave[m] = s.leave[i]
		s.wait[m] = s.wait[i]
	}
}

// The sums over phases are written out: a loop waits for each of them before it begins the next.

func (a *byPhase) dot(b *byPhase) float64 {
	return a[0]*b[0] + a[1]*b[1] + (a[2]*b[2] + a[3]*b[3]) + (a[4]*b[4] + a[5]*b[5])
}

func (a *byPhase) total() float64 { return a[0] + a[1] + (a[2] + a[3]) + (a[4] + a[5]) }

// combine sets x to a u v + b w.
func (x *byPhase) combine(a float64, u, v *byPhase, b float64, w *byPhase) {
	x[0], x[1] = a*u[0]*v[0]+b*w[0], a*u[1]*v[1]+b*w[1]
	x[2], x[3] = a*u[2]*v[2]+b*w[2], a*u[3]*v[3]+b*w[3]
	x[4], x[5] = a*u[4]*v[4]+b*w[4], a*u[5]*v[5]+b*w[5]
}

func (a *byLag) dot(b *byLag) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// infer leaves the posterior of a gap in post or, with n, adds what is expected to happen in it to
// n. It returns false if no path explains the evidence.
func (ch *chain) infer(l *Lock, ev *evidence, n *counts, post *posterior) bool {
	ch.lump(l.mix, ev)
	ch.steps.set(ev.length, ch.group)
	ch.begin(ev)
	ch.forward(ev)
	return ch.backward(ev, n, post)
}

// begin sets alpha at the beginning of a gap. After an acquisition
//
//	alpha o(p) = w[site of the acquirer, p]; the average over all sites if it is not known
//
// An arrival meets a lock that is held or has just become free, with even odds (alpha is not
// normalised yet):
//
//	alpha s(p) = e[p] a[s] / λ[p] / sum of the same;   alpha f(j) = γ[j]
//
// The 1/λ is length bias: the longer a hold, the likelier an arrival meets it.
func (ch *chain) begin(ev *evidence) {
	if ev.acquired {
		ch.free, ch.early = byLag{}, byLag{}
		first := byPhase{}
		for i := range ch.lumps {
			ch.lumps[i].alpha = byPhase{}
			for p, v := range ch.lumps[i].enter {
				first[p] += v
			}
		}
		if ev.site >= 0 {
			first = ch.group.sites[ev.site].holds
		}
		own := column.Next(&ch.lumps)
		own.enter = byPhase{}
		own.can = byCell{}
		own.held = ev.own
		own.alpha = first
		return
	}
	sum := 0.0
	for i := range ch.lumps {
		l := &ch.lumps[i]
		sum += l.can[0] * l.enter.dot(&holdMean)
	}
	for i := range ch.lumps {
		l := &ch.lumps[i]
		for p := range phases {
			l.alpha[p] = l.enter[p] * holdMean[p] * l.can[0] / sum
		}
	}
	ch.free, ch.early = ch.group.lags, byLag{}
}

// forward computes x, cell by cell; alpha is scaled to a sum of one (Rabiner 1989, III.A and V.A):
//
//	x = (1 - dt Q')^-1 alpha,   alpha = L x / sum of L x
//
// Only free states lead from hold to hold, so the inverse is in closed form. With
// F = sum of x f(j) and H = dt sum of λ[p] x, the releases,
//
//	x o(p) = alpha o(p) stay[p]
//	x s(p) = (alpha s(p) + dt η a[s] e[p] F) stay[p]
//	x f(j) = (alpha f(j) + γ[j] H) wait[j]
//
// so that H = out + back F, with out the releases of holds that go on from alpha and back
// those of holds entered in the cell, and F = (sum of alpha f(j) wait[j] + lag out) /
// (1 - lag back).
func (ch *chain) forward(ev *evidence) {
	lags, r := &ch.group.lags, 1.0 // r is one over the sum of L x in the cell before
	for c := range cells {
		stay := &ch.steps.stay[c]
		leave := &ch.steps.leave[c]
		wait := &ch.steps.wait[c]
		enter, lag := ch.steps.dt[c]*ch.group.entry, ch.steps.lag[c]
		out := 0.0
		back := 0.0
		early := 0.0
		for i := range ch.lumps {
			l := &ch.lumps[i]
			l.stay[c].combine(1, &l.enter, stay, 0, stay)
			l.leave[c] = l.can[c] * l.enter.dot(leave)
			last, like := l.before(c)
			if left := r * like * last.dot(leave); ev.passed && i == len(ch.lumps)-1 {
				early = left
			} else {
				out += left
			}
			back += l.leave[c]
		}
		back *= enter
		isEarly := ch.early.dot(wait) + lag*early
		ch.isF[c] = isEarly + (ch.free.dot(wait)+lag*(out+back*isEarly))/(1-lag*back)
		ch.isH[c], ch.isG[c] = out+back*ch.isF[c], early
		sum := 0.0
		for i := range ch.lumps {
			l := &ch.lumps[i]
			last, like := l.before(c)
			l.x[c].combine(like*r, last, stay, enter*ch.isF[c]*l.can[c], &l.stay[c])
			sum += l.held[c] * l.x[c].total()
		}
		for j := range lagPhases {
			ch.freeX[c][j] = (ch.free[j] + lags[j]*ch.isH[c]) * wait[j]
			ch.earlyX[c][j] = (ch.early[j] + lags[j]*ch.isG[c]) * wait[j]
		}
		r = 1 / (sum + ev.free[c]*ch.isF[c])
		for j := range lagPhases {
			ch.free[j] = ch.freeX[c][j] * ev.free[c] * r
			ch.early[j] = ch.earlyX[c][j] * ev.free[c] * r
		}
	}
}

// before returns the forward vector and the likelihood of the evidence in the cell before; their
// product is alpha.
func (l *lump) before(c int) (x *byPhase, like float64) {
	if c == 0 {
		return &l.alpha, 1
	}
	return &l.x[c-1], l.held[c-1]
}

// backward computes beta, from the last cell to the first, scaled in each cell:
//
//	beta = (1 - dt Q)^-1 (L beta)
//
// and from it the posterior of the cell, x beta / sum of x beta, the part of the cell that is
// spent in each state. At the end beta f(j) is μ[j], the density of the acquisition; where the
// gap ends without one, all beta f(j) are equal. The lock is free at the end either way, so
// the beta of holds is zero. In closed form, with V = sum of γ[j] beta f(j), the value of a
// release, and E = sum of a[s] e[p] beta s(p), that of an entry,
//
//	beta o(p), s(p) = (L beta + dt λ[p] V) stay[p]
//	beta f(j)       = (L beta + dt η E) wait[j]
//
// so that V = rest + dt η lag E and E = now + later V, with rest and now from L beta alone and
// later = sum of a[s] e[p] stay[p] dt λ[p].
//
// The result is that of infer.
func (ch *chain) backward(ev *evidence, n *counts, post *posterior) bool {
	lags, r := &ch.group.lags, 1.0 // r is one over the sum of x beta in the cell after
	ch.early = byLag{}
	if ch.free = lagRate; !ev.ended {
		ch.free = byLag{1, 1, 1}
	}
	for i := range ch.lumps {
		ch.lumps[i].beta, ch.lumps[i].entered = byPhase{}, byPhase{}
	}
	for c := cells - 1; c >= 0; c-- {
		stay := &ch.steps.stay[c]
		leave := &ch.steps.leave[c]
		wait := &ch.steps.wait[c]
		enter := ch.steps.dt[c] * ch.group.entry
		now := 0.0
		later := 0.0
		rest := 0.0
		early := 0.0
		for i := range ch.lumps {
			l := &ch.lumps[i]
			now += l.can[c] * l.held[c] * l.stay[c].dot(&l.beta)
			later += l.leave[c]
		}
		now *= r
		for j := range lagPhases {
			ch.free[j] *= ev.free[c] * r * wait[j]
			ch.early[j] *= ev.free[c] * r * wait[j]
			rest += lags[j] * ch.free[j]
			early += lags[j] * ch.early[j]
		}
		lag := enter * ch.steps.lag[c]
		entering := (now + later*rest) / (1 - lag*later)
		leaving := rest + lag*entering
		for j := range lagPhases {
			ch.free[j] += enter * entering * wait[j]
			ch.early[j] += enter * entering * wait[j]
		}
		isFree := ch.free.dot(&ch.freeX[c]) + ch.early.dot(&ch.earlyX[c])
		sum := isFree
		for i := range ch.lumps {
			l, value := &ch.lumps[i], leaving
			if ev.passed && i == len(ch.lumps)-1 {
				value = early + lag*entering
			}
			l.beta.combine(l.held[c]*r, &l.beta, stay, value, leave)
			l.sum[c] = l.beta.dot(&l.x[c])
			sum += l.sum[c]
		}
		if !(sum > 0) {
			return false
		}
		r = 1 / sum
		if n != nil {
			ch.count(c, n, r*n.each, isFree)
		} else {
			ch.divide(c, ev, r, isFree, post)
		}
	}
	if n != nil {
		ch.countSites(ev, n)
	}
	return true
}

// divide divides the posterior of the lumps in a cell among their sites; r is one over the
// sum of x beta.
func (ch *chain) divide(c int, ev *evidence, r, isFree float64, post *posterior) {
	post.own[c], post.free[c] = 0, isFree*r
	if ev.acquired {
		post.own[c] = ch.lumps[len(ch.lumps)-1].sum[c] * r
	}
	for i := range ch.lumps {
		l := &ch.lumps[i]
		for p := range phases {
			l.x[c][p] *= l.beta[p] * r
		}
	}
	for s := range ch.group.sites {
		post.site[s][c] = ch.partOf[s].dot(&ch.lumps[ch.lumpOf[s]].x[c])
	}
}
