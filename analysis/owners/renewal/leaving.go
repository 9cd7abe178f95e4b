package renewal

// Leaving is how much longer sections last after what was seen of them last: each
// stretch from there to the next acquisition, with a waiter all along, is that and what
// follows any release.
type Leaving struct {
	grid
	part [cells]Share // by cells of the stretch
	far  [tails]Share // of longer ones, by class
	of   int          // stretches it is learnt from
}

// Share is the part of a stretch that is the section's, and how much of it is expected to be.
type Share struct{ Part, SureOwn float64 }

// Leaving learns it from the lengths of such stretches; nil from too few.
func (m *Model) Leaving(lengths []int64) *Leaving {
	l := &Leaving{grid: m.grid, of: len(lengths)}
	if l.of < Trust {
		return nil
	}
	var counts lattice
	var far [tails]float64
	for _, ns := range lengths {
		if c, ok := m.cell(ns); ok {
			counts[c]++
		} else {
			far[m.tail(ns)]++
		}
	}
	l.learnFar(m, far, l.learnCells(m, &counts))
	return l
}

// learnCells learns from stretches that are in the cells. It returns how many cells
// sections last in them, all together.
func (l *Leaving) learnCells(m *Model, counts *lattice) (owned float64) {
	_, most := counts.extent()
	var rest, own lattice
	for q := range rest[:most] {
		rest[q], own[q] = m.rest(q, LastUnknown, 0), 1/float64(most)
	}
	guess := own
	for range rounds {
		var next lattice
		owned = 0
		for c, n := range counts[:most] {
			if n == 0 {
				continue
			}
			if weights, sum := divided(&own, &rest, c); sum > 0 {
				owned += n * weights.mean() / sum
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
		if sum == 0 || c == 0 {
			continue
		}
		first := weights.mean() / sum
		s := &l.part[c]
		s.Part = first / float64(c)
		s.SureOwn, _ = m.sure(&weights, sum, first, c)
	}
	return owned
}

// learnFar learns from longer ones, of which one component makes up nearly all: whatever
// makes threads halt does so the more often the longer they are at it, and sections that
// are so long by themselves come more often than that.
func (l *Leaving) learnFar(m *Model, counts [tails]float64, owned float64) {
	n, of := m.barge/(1-m.barge), float64(l.of)
	rest := max(m.wake.mean()+n*(m.wake.mean()+m.average), halfCell)
	for k, count := range counts {
		own := max(owned/of, halfCell) // as far as shorter ones tell
		_, free, others := m.jump(-1, k, n, LastUnknown, 0)
		expected := own * (free + others) / rest
		part := own / (own + rest)
		for range rounds {
			first := beyondChance(count*part, of*expected) / of
			if part = 1; first+free+others > 0 {
				part = first / (first + free + others)
			}
		}
		l.far[k] = Share{part, part}
		owned += count * part * float64(int(cells)<<k)
	}
}

// halfCell is what is shorter than a cell as far as the cells tell.
const halfCell = 0.5

// divided weighs each length of a section in a stretch of so many cells that ends with a
// rest.
func divided(own, rest *lattice, c int) (weights lattice, sum float64) {
	for d, p := range own[:c+1] {
		weights[d] = p * rest[c-d]
		sum += weights[d]
	}
	return weights, sum
}

// Share returns what is the section's of a stretch, and how far that is known.
func (l *Leaving) Share(length int64) (s Share, known float64) {
	if l == nil {
		return Share{}, 0
	}
	known = float64(l.of) / float64(l.of+Trust)
	c, ok := l.cell(length)
	switch {
	case !ok:
		return l.far[l.tail(length)], known
	case c == 0 || l.part[c].Part == 0:
		return Share{}, 0
	}
	return l.part[c], known
}
