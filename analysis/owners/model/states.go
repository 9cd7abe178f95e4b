package model

import (
	"math"
	"slices"
)

// The exponentials that holds and lags are mixtures of: mean lengths in ns, and rates.
var (
	holdMean, holdRate [phases]float64
	lagRate            [lagPhases]float64
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

// lump is a state: the sites of which the evidence in a gap is alike, by phase of the hold.
// They are told apart again by how likely each is entered.
type lump struct {
	like [2 * cells]uint16 // the evidence, rounded

	enter   [phases]float64 // how likely who enters does it here, by phase
	weight  float64         // the sum
	can     byCell
	held    byCell
	forward [phases]float64
	back    [phases]float64
	entered [phases]float64 // expected entries
	at      [cells][phases]float64
	sum     byCell
}

// lump makes states of the sites.
func (k *worker) lump(l *Lock) {
	k.lumps = k.lumps[:0]
	for s, x := range k.class.sites {
		can, held, mix := &k.ev.can[s], &k.ev.held[s], l.mix[s]
		var like [2 * cells]uint16
		for c := range cells { // within a factor of 16 or so
			like[c] = uint16(math.Float64bits(can[c]*4) >> 54)
			like[cells+c] = uint16(math.Float64bits(held[c]*4) >> 54)
		}
		at := 0
		for at < len(k.lumps) && k.lumps[at].like != like {
			at++
		}
		if at == len(k.lumps) {
			k.lumps = slices.Grow(k.lumps, 1)[:at+1]
			y := &k.lumps[at]
			y.like, y.enter, y.weight, y.can, y.held = like, [phases]float64{}, 0, byCell{}, byCell{}
		}
		y := &k.lumps[at]
		k.lumpOf[s] = int32(at)
		y.weight += mix
		for p, w := range x.holds {
			y.enter[p] += mix * w
		}
		for c := range cells {
			y.can[c] += mix * can[c]
			y.held[c] += mix * held[c]
		}
	}
	for i := range k.lumps {
		y := &k.lumps[i]
		r := 1 / y.weight
		for c := range cells {
			y.can[c] *= r
			y.held[c] *= r
		}
	}
	for s, x := range k.class.sites {
		enter := &k.lumps[k.lumpOf[s]].enter
		for p, w := range x.holds {
			k.partOf[s][p] = l.mix[s] * w / enter[p]
		}
	}
}

// counts are what is expected to have happened, in some gaps.
type counts struct {
	entries [][phases]float64 // by site and phase
	enters  []float64         // by site
	lags    [lagPhases]float64
	n, free float64 // entries, and free time in ns
	each    float64 // gaps that the one at hand stands for
}

// posterior is how likely each state is, by cell of a gap.
type posterior struct {
	site []byCell // by site: entered after the acquirer let go
	own  byCell   // the acquirer's
	free byCell
}

// steps is what passes in the cells of a gap: implicit steps of the chain.
type steps struct {
	length [cells]float64
	stay   [cells][phases]float64
	wait   [cells][lagPhases]float64
	lag    [cells]float64 // how likely who becomes free still is after the cell
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
		s.length[i], s.lag[i] = dt, lag
		s.length[m], s.lag[m], s.stay[m], s.wait[m] = dt, lag, s.stay[i], s.wait[i]
	}
}

// run goes forward and backward through a gap: held by the acquirer, then free, then
// held at some site, and free again; the gap ends with an acquisition, which only a free
// lock allows. It adds what it expects to n, or leaves the posterior in k.post; false if
// nothing explains the evidence.
func (k *worker) run(l *Lock, g *gap, n *counts) bool {
	k.weigh(l, g)
	return k.explain(l, n)
}

// explain does so by the evidence at hand.
func (k *worker) explain(l *Lock, n *counts) bool {
	k.lump(l)
	k.steps.set(k.ev.length, k.class)
	k.begin()
	return k.forward() && k.backward(n)
}

// begin sets how likely each state is at the beginning.
func (k *worker) begin() {
	k.own, k.free = [phases]float64{}, [lagPhases]float64{}
	if k.ev.site >= 0 {
		k.first = k.class.sites[k.ev.site].holds
	} else {
		k.first = [phases]float64{}
		for i := range k.lumps {
			for p, v := range k.lumps[i].enter {
				k.first[p] += v
			}
		}
	}
	if k.ev.acquired {
		k.own = k.first
		for i := range k.lumps {
			k.lumps[i].forward = [phases]float64{}
		}
		return
	}
	// Who comes meets long holds more often: as long as each lasts. Half of the time
	// the lock has just become free.
	sum := 0.0
	for i := range k.lumps {
		y := &k.lumps[i]
		for p := range phases {
			y.forward[p] = y.enter[p] * holdMean[p] * y.can[0]
			sum += y.forward[p]
		}
	}
	for i := range k.lumps {
		for p := range phases {
			k.lumps[i].forward[p] /= sum
		}
	}
	k.free = k.class.lags
}

func (k *worker) forward() bool {
	lags, entry := &k.class.lags, k.class.entry
	for c := range cells {
		dt, stay, wait := k.steps.length[c], &k.steps.stay[c], &k.steps.wait[c]
		out, back := 0.0, 0.0 // of the lock given back
		own := &k.ownAt[c]
		for p := range phases {
			own[p] = k.own[p] * stay[p]
			out += own[p] * holdRate[p]
		}
		for i := range k.lumps {
			y := &k.lumps[i]
			a := dt * entry * y.can[c]
			for p := range phases {
				y.at[c][p] = y.forward[p] * stay[p]
				out += y.at[c][p] * holdRate[p]
				back += a * y.enter[p] * stay[p] * holdRate[p]
			}
		}
		free := dt * k.steps.lag[c] * out
		for j := range lagPhases {
			free += k.free[j] * wait[j]
		}
		free /= 1 - dt*k.steps.lag[c]*back
		sum := 0.0
		for i := range k.lumps {
			y := &k.lumps[i]
			a := dt * entry * free * y.can[c]
			for p := range phases {
				y.at[c][p] += a * y.enter[p] * stay[p]
				y.forward[p] = y.at[c][p] * y.held[c]
				sum += y.forward[p]
			}
		}
		for j := range lagPhases {
			k.freeAt[c][j] = (k.free[j] + dt*lags[j]*(out+back*free)) * wait[j]
			k.free[j] = k.freeAt[c][j] * k.ev.free[c]
			sum += k.free[j]
		}
		for p := range phases {
			k.own[p] = own[p] * k.ev.own[c]
			sum += k.own[p]
		}
		if !(sum > 0) {
			return false
		}
		r := 1 / sum
		for p := range phases {
			k.own[p] *= r
		}
		for j := range lagPhases {
			k.free[j] *= r
		}
		for i := range k.lumps {
			for p := range phases {
				k.lumps[i].forward[p] *= r
			}
		}
	}
	return true
}

func (k *worker) backward(n *counts) bool {
	lags, entry := &k.class.lags, k.class.entry
	own, free := [phases]float64{}, lagRate
	if !k.ev.ended {
		for j := range free {
			free[j] = 1e-6
		}
	}
	for i := range k.lumps {
		k.lumps[i].back, k.lumps[i].entered = [phases]float64{}, [phases]float64{}
	}
	for c := cells - 1; c >= 0; c-- {
		dt, stay, wait := k.steps.length[c], &k.steps.stay[c], &k.steps.wait[c]
		now, later, rest := 0.0, 0.0, 0.0
		for i := range k.lumps {
			y := &k.lumps[i]
			for p := range phases {
				y.back[p] *= y.held[c]
				q := y.enter[p] * y.can[c] * stay[p]
				now += q * y.back[p]
				later += q * dt * holdRate[p]
			}
		}
		for j := range lagPhases {
			free[j] *= k.ev.free[c]
			rest += lags[j] * free[j] * wait[j]
		}
		h := dt * entry * k.steps.lag[c]
		entering := (now + later*rest) / (1 - h*later)
		leaving := rest + h*entering
		isFree, isOwn, freeAll, out, most := 0.0, 0.0, 0.0, 0.0, 0.0
		for p := range phases {
			own[p] = (own[p]*k.ev.own[c] + dt*holdRate[p]*leaving) * stay[p]
			isOwn += k.ownAt[c][p] * own[p]
			out += k.ownAt[c][p] * holdRate[p]
			most = max(most, own[p])
		}
		for j := range lagPhases {
			free[j] = (free[j] + dt*entry*entering) * wait[j]
			isFree += k.freeAt[c][j] * free[j]
			freeAll += k.freeAt[c][j]
			most = max(most, free[j])
		}
		sum := isOwn + isFree
		for i := range k.lumps {
			y := &k.lumps[i]
			y.sum[c] = 0
			for p := range phases {
				out += y.at[c][p] * holdRate[p]
				y.back[p] = (y.back[p] + dt*holdRate[p]*leaving) * stay[p]
				y.at[c][p] *= y.back[p] // from here on how likely it is
				y.sum[c] += y.at[c][p]
				most = max(most, y.back[p])
			}
			sum += y.sum[c]
		}
		if !(sum > 0) {
			return false
		}
		r := 1 / sum
		if n != nil {
			r *= n.each
			for i := range k.lumps {
				y := &k.lumps[i]
				a := dt * entry * y.can[c] * freeAll * r
				for p := range phases {
					y.entered[p] += a * y.enter[p] * y.back[p]
				}
			}
			for j := range lagPhases {
				n.lags[j] += lags[j] * free[j] * r * out * dt
			}
			n.free += isFree * r * dt
		} else {
			k.post.own[c], k.post.free[c] = isOwn*r, isFree*r
			for s := range k.class.sites {
				y, v := &k.lumps[k.lumpOf[s]], 0.0
				for p, part := range k.partOf[s] {
					v += y.at[c][p] * part
				}
				k.post.site[s][c] = v * r
			}
		}
		m := 1 / most
		for p := range phases {
			own[p] *= m
		}
		for j := range lagPhases {
			free[j] *= m
		}
		for i := range k.lumps {
			for p := range phases {
				k.lumps[i].back[p] *= m
			}
		}
	}
	if n != nil {
		k.count(n, &own)
	}
	return true
}

// count adds what is expected of the sites.
func (k *worker) count(n *counts, own *[phases]float64) {
	for s := range k.class.sites {
		y := &k.lumps[k.lumpOf[s]]
		for p, part := range k.partOf[s] {
			v := y.entered[p] * part
			n.entries[s][p] += v
			n.enters[s] += v
			n.n += v
		}
	}
	if !k.ev.acquired || k.ev.site < 0 {
		return
	}
	sum := 0.0
	for p := range phases {
		sum += k.first[p] * own[p]
	}
	for p := range phases {
		n.entries[k.ev.site][p] += n.each * k.first[p] * own[p] / sum
	}
}
