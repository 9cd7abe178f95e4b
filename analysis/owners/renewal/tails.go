package renewal

import "math"

// learnTails says whose the gaps are that are longer than all cells: of those,
// one component makes up nearly all. After a site whose own section is long
// they come every time; long sections of others come after all sites alike.
// What is not known of a site, as from few gaps, is supposed to be as of all:
// whatever makes threads halt does so the more often the longer they are at it.
func (l *learner) learnTails() {
	m := l.m
	n := m.barge / (1 - m.barge)
	all := 0.0
	for _, list := range l.bySite {
		all += float64(len(list))
	}
	halts := l.halts(n, all)
	means, free := make([]float64, m.sites), m.wake.mean()
	for s := range means {
		means[s] = max(m.hold[s].mean(), l.short[s])
		for k, rate := range halts {
			m.far[s][k] = means[s] * rate
		}
	}
	for k, rate := range halts {
		m.late[k] = free * rate
	}
	far := make([][tails]float64, m.sites)
	for range rounds {
		clear(far)
		var late [tails]float64
		for _, g := range l.far {
			k := m.tail(g.Length)
			first, free, of := m.jump(g.Site, k, n, g.Last, g.Group)
			z := first + free + of
			far[g.Site][k] += first / z
			late[k] += free / z
			if of > 0 {
				for s, w := range m.mixes[m.last(g.Last, g.Group)] {
					far[s][k] += n * w * m.far[s][k] / z
				}
			}
		}
		for s := range far {
			size := float64(len(l.bySite[s])) + n*all*m.mixes[0][s]
			for k, rate := range halts {
				m.far[s][k] = beyondChance(far[s][k], size*means[s]*rate) / max(size, math.SmallestNonzeroFloat64)
			}
		}
		for k, rate := range halts {
			m.late[k] = beyondChance(late[k], all*(1+n)*free*rate) / (all * (1 + n))
		}
	}
}

// beyondChance returns how many of a kind to believe in where some were counted
// and others expected: those expected, unless chance would not bring as many.
func beyondChance(counted, expected float64) float64 {
	off := math.Sqrt(max(counted, expected))
	switch {
	case counted > expected+off:
		return counted - off
	case counted < expected-off:
		return counted + off
	}
	return expected
}

// halts returns, by class of lengths, how often in a cell of time a gap becomes
// so long.
func (l *learner) halts(n, all float64) (rates [tails]float64) {
	m := l.m
	time := all * (1 + n) * m.wake.mean()
	for s, list := range l.bySite {
		time += (float64(len(list)) + n*all*m.mixes[0][s]) * max(m.hold[s].mean(), l.short[s])
	}
	for _, g := range l.far {
		rates[m.tail(g.Length)]++
	}
	for k := range rates {
		rates[k] = max(rates[k], unseen) / max(time, 1)
	}
	return rates
}

// unseen stands for none seen of a class of lengths: of two explanations of a
// length that is met all the same the likelier one is left. Only ratios of it
// matter.
const unseen = 1e-100

// last is the mix a barging section of a gap is of.
func (m *Model) last(last Last, group int) int {
	if last == LastOther {
		return group
	}
	return 0
}

// jump weighs what a gap of a class of long ones is made of: its first
// section, free time, or a section of others.
func (m *Model) jump(site, k int, n float64, last Last, group int) (first, free, others float64) {
	free = m.late[k] * (1 + n)
	if site >= 0 {
		first = m.far[site][k]
	}
	for s, w := range m.mixes[m.last(last, group)] {
		others += n * w * m.far[s][k]
	}
	return first, free, others
}
