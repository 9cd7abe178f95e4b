package model

import "math"

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
//	λ, μ    holdRate, lagRate         η       Class.entry
//	γ[j]    Class.lags                m[s]    Lock.mix
//	w[s,p]  site.holds                a[s]    evidence.can
//
// f(j) is left at rate μ[j] + η altogether: entries at a site by users that cannot be there are
// paths of likelihood zero. Below, e[p] is m[s] w[s,p], summed over the sites of a lump (see
// lumps.go), and L the likelihood of the evidence in a cell.
//
// A cell is one implicit Euler step, x' = (1 - dt Q)^-1 x, which stays stable however long the
// cell is. It is exact for a cell whose duration is exponential with mean dt (Ross 1987).

// chain does the forward and backward passes for one gap at a time.
type chain struct {
	class  *Class
	steps  steps
	lumps  []lump
	lumpOf []int32   // by site
	partOf []byPhase // by site: its part of the entries of its lump

	first byPhase // phases of the acquirer's hold when it begins
	own   struct {
		alpha byPhase
		x     [cells]byPhase // as in lump
	}
	free struct {
		alpha byLag
		x     [cells]byLag
	}
}

func (h *chain) reset(c *Class) {
	h.class, h.lumpOf, h.partOf = c, make([]int32, len(c.sites)), make([]byPhase, len(c.sites))
}

// posterior is the probability of each state, by cell of a gap.
type posterior struct {
	site []byCell // by site: held there, entered after the acquirer released the lock
	own  byCell
	free byCell
}

// steps are the factors of the implicit steps through the cells of a gap.
type steps struct {
	dt   byCell         // length of the cell, ns
	stay [cells]byPhase // 1 / (1 + dt λ[p])
	wait [cells]byLag   // 1 / (1 + dt (μ[j] + η))
	lag  byCell         // sum over j of γ[j] wait[j]
}

func (s *steps) set(length float64, c *Class) {
	for i := range cells / 2 { // they are symmetric
		dt := length * (bounds[i+1] - bounds[i])
		for p := range phases {
			s.stay[i][p] = 1 / (1 + dt*holdRate[p])
		}
		lag := 0.0
		for j := range lagPhases {
			s.wait[i][j] = 1 / (1 + dt*(lagRate[j]+c.entry))
			lag += c.lags[j] * s.wait[i][j]
		}
		m := cells - 1 - i
		s.dt[i], s.lag[i] = dt, lag
		s.dt[m], s.lag[m], s.stay[m], s.wait[m] = dt, lag, s.stay[i], s.wait[i]
	}
}

// infer leaves the posterior of a gap in post; it returns false if no path explains the evidence.
func (h *chain) infer(l *Lock, ev *evidence, post *posterior) bool {
	h.prepare(l, ev)
	return h.forward(ev) && h.backward(ev, nil, post)
}

// expect adds what is expected to happen in a gap to n.
func (h *chain) expect(l *Lock, ev *evidence, n *counts) bool {
	h.prepare(l, ev)
	return h.forward(ev) && h.backward(ev, n, nil)
}

func (h *chain) prepare(l *Lock, ev *evidence) {
	h.lump(l.mix, ev)
	h.steps.set(ev.length, h.class)
	h.begin(ev)
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
func (h *chain) begin(ev *evidence) {
	h.own.alpha, h.free.alpha = byPhase{}, byLag{}
	if ev.site >= 0 {
		h.first = h.class.sites[ev.site].holds
	} else {
		h.first = byPhase{}
		for i := range h.lumps {
			for p, v := range h.lumps[i].enter {
				h.first[p] += v
			}
		}
	}
	if ev.acquired {
		h.own.alpha = h.first
		for i := range h.lumps {
			h.lumps[i].alpha = byPhase{}
		}
		return
	}
	sum := 0.0
	for i := range h.lumps {
		y := &h.lumps[i]
		for p := range phases {
			y.alpha[p] = y.enter[p] * holdMean[p] * y.can[0]
			sum += y.alpha[p]
		}
	}
	for i := range h.lumps {
		for p := range phases {
			h.lumps[i].alpha[p] /= sum
		}
	}
	h.free.alpha = h.class.lags
}

// forward computes alpha, cell by cell, scaled to a sum of one (Rabiner 1989, III.A and V.A):
//
//	x = (1 - dt Q')^-1 alpha,   alpha = L x / sum of L x
//
// Only free states lead from hold to hold, so the inverse is in closed form. With
// F = sum of x f(j) and H = sum of λ[p] x, the releases,
//
//	x o(p) = alpha o(p) stay[p]
//	x s(p) = (alpha s(p) + dt η a[s] e[p] F) stay[p]
//	x f(j) = (alpha f(j) + dt γ[j] H) wait[j]
//
// so that H = out + back F, with out the releases of holds that go on from alpha and back
// those of holds entered in the cell, and F = (sum of alpha f(j) wait[j] + dt lag out) /
// (1 - dt lag back).
func (h *chain) forward(ev *evidence) bool {
	lags, entry := &h.class.lags, h.class.entry
	for c := range cells {
		dt, stay, wait := h.steps.dt[c], &h.steps.stay[c], &h.steps.wait[c]
		out, back := 0.0, 0.0
		own := &h.own.x[c]
		for p := range phases {
			own[p] = h.own.alpha[p] * stay[p]
			out += own[p] * holdRate[p]
		}
		for i := range h.lumps {
			y := &h.lumps[i]
			a := dt * entry * y.can[c]
			for p := range phases {
				y.x[c][p] = y.alpha[p] * stay[p]
				out += y.x[c][p] * holdRate[p]
				back += a * y.enter[p] * stay[p] * holdRate[p]
			}
		}
		free := dt * h.steps.lag[c] * out
		for j := range lagPhases {
			free += h.free.alpha[j] * wait[j]
		}
		free /= 1 - dt*h.steps.lag[c]*back
		sum := 0.0
		for i := range h.lumps {
			y := &h.lumps[i]
			a := dt * entry * free * y.can[c]
			for p := range phases {
				y.x[c][p] += a * y.enter[p] * stay[p]
				y.alpha[p] = y.x[c][p] * y.held[c]
				sum += y.alpha[p]
			}
		}
		for j := range lagPhases {
			h.free.x[c][j] = (h.free.alpha[j] + dt*lags[j]*(out+back*free)) * wait[j]
			h.free.alpha[j] = h.free.x[c][j] * ev.free[c]
			sum += h.free.alpha[j]
		}
		for p := range phases {
			h.own.alpha[p] = own[p] * ev.own[c]
			sum += h.own.alpha[p]
		}
		if !(sum > 0) {
			return false
		}
		h.scale(1 / sum)
	}
	return true
}

func (h *chain) scale(r float64) {
	for p := range phases {
		h.own.alpha[p] *= r
	}
	for j := range lagPhases {
		h.free.alpha[j] *= r
	}
	for i := range h.lumps {
		for p := range phases {
			h.lumps[i].alpha[p] *= r
		}
	}
}

// backward computes beta, from the last cell to the first, scaled to a maximum of one:
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
// With n it adds the expected counts to n; else it leaves the posterior in post.
func (h *chain) backward(ev *evidence, n *counts, post *posterior) bool {
	lags, entry := &h.class.lags, h.class.entry
	own, free := byPhase{}, lagRate // beta
	if !ev.ended {
		for j := range free {
			free[j] = 1e-6
		}
	}
	for i := range h.lumps {
		h.lumps[i].beta, h.lumps[i].entered = byPhase{}, byPhase{}
	}
	for c := cells - 1; c >= 0; c-- {
		dt, stay, wait := h.steps.dt[c], &h.steps.stay[c], &h.steps.wait[c]
		now, later, rest := 0.0, 0.0, 0.0
		for i := range h.lumps {
			y := &h.lumps[i]
			for p := range phases {
				y.beta[p] *= y.held[c]
				q := y.enter[p] * y.can[c] * stay[p]
				now += q * y.beta[p]
				later += q * dt * holdRate[p]
			}
		}
		for j := range lagPhases {
			free[j] *= ev.free[c]
			rest += lags[j] * free[j] * wait[j]
		}
		lag := dt * entry * h.steps.lag[c]
		entering := (now + later*rest) / (1 - lag*later)
		leaving := rest + lag*entering
		isOwn, isFree, freeX, releases, most := 0.0, 0.0, 0.0, 0.0, 0.0
		for p := range phases {
			own[p] = (own[p]*ev.own[c] + dt*holdRate[p]*leaving) * stay[p]
			isOwn += h.own.x[c][p] * own[p]
			releases += h.own.x[c][p] * holdRate[p]
			most = max(most, own[p])
		}
		for j := range lagPhases {
			free[j] = (free[j] + dt*entry*entering) * wait[j]
			isFree += h.free.x[c][j] * free[j]
			freeX += h.free.x[c][j]
			most = max(most, free[j])
		}
		sum := isOwn + isFree
		for i := range h.lumps {
			y := &h.lumps[i]
			y.sum[c] = 0
			for p := range phases {
				releases += y.x[c][p] * holdRate[p]
				y.beta[p] = (y.beta[p] + dt*holdRate[p]*leaving) * stay[p]
				y.x[c][p] *= y.beta[p]
				y.sum[c] += y.x[c][p]
				most = max(most, y.beta[p])
			}
			sum += y.sum[c]
		}
		if !(sum > 0) {
			return false
		}
		r := 1 / sum
		if n != nil {
			h.count(c, n, r*n.each, isFree, freeX, releases, &free)
		} else {
			post.own[c], post.free[c] = isOwn*r, isFree*r
			h.divide(c, r, post)
		}
		m := 1 / most
		for p := range phases {
			own[p] *= m
		}
		for j := range lagPhases {
			free[j] *= m
		}
		for i := range h.lumps {
			for p := range phases {
				h.lumps[i].beta[p] *= m
			}
		}
	}
	if n != nil {
		h.countSites(ev, &own, n)
	}
	return true
}

// divide divides the posterior of the lumps in a cell among their sites; r is one over the
// sum of x beta.
func (h *chain) divide(c int, r float64, post *posterior) {
	for s := range h.class.sites {
		y, v := &h.lumps[h.lumpOf[s]], 0.0
		for p, part := range h.partOf[s] {
			v += y.x[c][p] * part
		}
		post.site[s][c] = v * r
	}
}
