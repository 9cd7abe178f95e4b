package renewal

import "math"

// arrivals are the threads that began to wait in the gaps a model is learnt
// from. Who comes while somebody has the lock must wait, and is recorded; who
// comes while it is free takes it, and is not. So arrivals tell twice how much
// of the time others had the lock whom nobody saw: as many threads come in a
// free stretch as in one that is not, and each took it; and each that had to
// wait after the first section was over met one that had taken it.
type arrivals struct {
	came  [][]uint8 // by kind of gaps: the cells in which threads came
	short []float64 // by site: cells its section mostly has at least
	held  float64   // share of the rests in which somebody has the lock

	recorded float64 // share of those who had to wait that were recorded
}

// census is what a round counts.
type census struct {
	gaps        float64
	told, other float64 // those that tell the last owner, and if it is another one
	again       float64 // those whose first owner was the last, others having had the lock or not
	sections    float64 // of others, as the lengths of the gaps tell
	all, firsts float64 // cells of the gaps, and of their first sections
	first, rest float64 // arrivals in first sections, and after them
}

// count takes gaps of a kind, of which some were the first section and free time.
func (c *census) count(k kind, n, direct float64) {
	c.gaps += n
	c.all += n * float64(k.cell)
	switch k.last {
	case LastSame:
		c.told += n
		c.again += n - direct
	case LastOther:
		c.told += n
		c.other += n
	}
}

// supposed is the share of the rests in which somebody has the lock, before
// anything is known.
const supposed = 0.1

func (a *arrivals) shortest(ns []float64, cell float64) {
	a.held = supposed
	a.short = make([]float64, len(ns))
	for s := range ns {
		a.short[s] = ns[s] / cell
	}
}

// meet counts whom the arrivals in gaps of a kind met, given how likely each
// length of their first section is.
func (a *arrivals) meet(seen *census, kind int, weights []float64, sum float64) {
	if len(a.came[kind]) == 0 {
		return
	}
	var lasts lattice // chance that the first section does, by cell
	longer := 0.0
	for d := len(weights) - 1; d >= 0; d-- {
		lasts[d] = (longer + weights[d]/2) / sum
		longer += weights[d]
	}
	for _, u := range a.came[kind] {
		p := lasts[u]
		first := p / max(p+(1-p)*a.held, math.SmallestNonzeroFloat64)
		seen.first += first
		seen.rest += 1 - first
	}
}

// barging returns the chance that a free time is ended by a thread that had not
// waited, and that the last of those is the one that began the gap: as the
// arrivals tell, as far as those were recorded, else as the lengths of the gaps.
func (a *arrivals) barging(m *Model, seen *census) (barge, again float64) {
	n, again := seen.sections/max(seen.gaps, 1), m.again
	if seen.told > 0 {
		again = seen.again / max(seen.again+seen.other, math.SmallestNonzeroFloat64)
	}
	m.fewest, m.atMost = n, n
	if met, ok := a.sections(m, seen); ok {
		n = math.Exp(a.recorded*math.Log(met) + (1-a.recorded)*math.Log(max(n, math.SmallestNonzeroFloat64)))
		if seen.told > 0 {
			other := seen.other / seen.told
			n = max(n, other/max(1-other, leastChance))
			again = a.recorded*(1-other*(1+n)/n) + (1-a.recorded)*again
		}
	}
	if m.fewest, m.atMost = m.fewest/n, m.atMost/n; !(n > 0) {
		m.fewest, m.atMost = 1, 1
	}
	return min(max(n/(1+n), leastChance), 0.95), min(max(again, leastChance), 1-leastChance)
}

// leastChance bounds chances: nothing is impossible because it was not seen.
const leastChance = 0.02

// sections returns how many of others there are in a gap. There are two ways to
// tell. The first one misses those that come all the more often, being at work; the
// second one takes what the first section had for theirs. They err by factors, to
// either side, so a geometric mean is taken. The second one weighs the less the more
// arrivals the first sections had, and the fewer it counts.
func (a *arrivals) sections(m *Model, seen *census) (n float64, ok bool) {
	if seen.first+seen.rest < Trust {
		return 0, false
	}
	length := a.length(m)
	rests := max(seen.all-seen.firsts, 1)
	rate := (seen.first + 1) / (seen.firsts + 1) // arrivals in a cell, with the lock held
	n = rate * (1 - a.held) * rests / seen.gaps
	m.fewest, m.atMost = min(m.fewest, n), max(m.atMost, n)
	if met := seen.rest / (rate * length * seen.gaps); met > 0 {
		m.fewest, m.atMost = min(m.fewest, met), max(m.atMost, met)
		off := seen.first / seen.rest
		weight := 1 / (off*off + 1/seen.rest + 1/(seen.first+1))
		n = math.Exp((math.Log(n) + weight*math.Log(met)) / (1 + weight))
	}
	a.held = min(max(n*length*seen.gaps/rests, 0.01), 0.9)
	return n, true
}

// length is the mean of all sections, in cells.
func (a *arrivals) length(m *Model) (sum float64) {
	for s, w := range m.mixes[0] {
		mean := 0.0
		for d, p := range &m.hold[s] {
			mean += p * float64(d)
		}
		sum += w * max(mean, a.short[s])
	}
	return max(sum, math.SmallestNonzeroFloat64)
}
