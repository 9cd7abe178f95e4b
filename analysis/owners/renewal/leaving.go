package renewal

// Leaving is how much longer sections last after what was seen of them last: each
// stretch from there to the next acquisition, with a waiter all along, is that and what
// follows any release.
type Leaving struct {
	grid
	part [cells]float64 // by cells of the stretch: the section's part of it
	far  [tails]float64 // the same of longer ones, by class
	of   int            // stretches it is learnt from
}

// Leaving learns it from the lengths of such stretches; nil from too few.
func (m *Model) Leaving(lengths []int64) *Leaving {
	l := &Leaving{grid: m.grid, of: len(lengths)}
	if l.of < Trust {
		return nil
	}
	var counts lattice
	for _, ns := range lengths {
		if c, ok := m.cell(ns); ok {
			counts[c]++
		} else {
			l.far[m.tail(ns)]++
		}
	}
	for k, n := range l.far { // one of both makes up nearly all
		_, free, others := m.jump(-1, k, m.barge/(1-m.barge), LastUnknown, 0)
		l.far[k] = max(1-float64(l.of)*(free+others)/max(n, 1), 0)
	}
	_, most := counts.extent()
	var rest, own lattice
	for q := range rest[:most] {
		rest[q], own[q] = m.rest(q, LastUnknown, 0), 1/float64(most)
	}
	guess := own
	for range rounds {
		var next lattice
		for c, n := range counts[:most] {
			if n == 0 {
				continue
			}
			if weights, sum := divided(&own, &rest, c); sum > 0 {
				for d, w := range weights[:c+1] {
					next[d] += n * w / sum
				}
			}
		}
		for d, p := range guess {
			next[d] += Trust * p
		}
		own = next.smoothed(1)
	}
	for c := range l.part[:most] {
		weights, sum := divided(&own, &rest, c)
		l.part[c] = weights.mean() / max(sum*float64(c), 1e-300)
	}
	return l
}

// divided weighs each length of a section in a stretch of so many cells that ends with a
// rest.
func divided(own, rest *lattice, c int) (weights lattice, sum float64) {
	for d, p := range own[:c+1] {
		weights[d] = p * rest[c-d]
		sum += weights[d]
	}
	return weights, sum
}

// Part returns the part of a stretch that is the section's, and how far that is known.
func (l *Leaving) Part(length int64) (part, known float64) {
	if l == nil {
		return 0, 0
	}
	known = float64(l.of) / float64(l.of+Trust)
	c, ok := l.cell(length)
	switch {
	case !ok:
		return l.far[l.tail(length)], known
	case c == 0 || l.part[c] == 0:
		return 0, 0
	}
	return l.part[c], known
}
