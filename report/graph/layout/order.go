package layout

import (
	"cmp"
	"slices"
)

// sweeps is how often the layers are gone through for their order: pictures
// seldom get better after a dozen.
const sweeps = 24

// order puts the cells of each layer in an order in which few arrows cross.
func (s *sheet) order() {
	s.first()
	best, fewest := s.places(), s.crossings()
	for i := range sweeps {
		s.sweep(i % 2)
		for s.swap() {
		}
		if n := s.crossings(); n < fewest {
			best, fewest = s.places(), n
		}
	}
	for i, layer := range best {
		s.layers[i] = layer
		number(layer)
	}
}

// first is the order in which one meets the cells who follows the arrows.
func (s *sheet) first() {
	seen := map[*cell]bool{}
	for i := range s.layers {
		s.layers[i] = s.layers[i][:0]
	}
	var visit func(c *cell)
	visit = func(c *cell) {
		if seen[c] {
			return
		}
		seen[c] = true
		s.add(c)
		for _, links := range [][]*cell{c.links[after], c.links[before]} {
			for _, l := range links {
				visit(l)
			}
		}
	}
	visit(s.boxes[0])
	for _, layer := range s.layers {
		number(layer)
	}
}

func (s *sheet) places() [][]*cell {
	out := make([][]*cell, len(s.layers))
	for i, layer := range s.layers {
		out[i] = slices.Clone(layer)
	}
	return out
}

// sweep sorts each layer by where the cells linked at one side stand, which
// come first. Cells that have none there keep their place.
func (s *sheet) sweep(side int) {
	for i := range s.layers {
		layer := s.layers[i]
		if side == after {
			layer = s.layers[len(s.layers)-1-i]
		}
		var linked []*cell
		for _, c := range layer {
			if len(c.links[side]) > 0 {
				linked = append(linked, c)
			}
		}
		slices.SortStableFunc(linked, func(a, b *cell) int { return cmp.Compare(middle(a.links[side]), middle(b.links[side])) })
		for at, c := range layer {
			if len(c.links[side]) > 0 {
				layer[at], linked = linked[0], linked[1:]
			}
		}
		number(layer)
	}
}

// middle is where linked cells stand on average.
func middle(links []*cell) float64 {
	sum := 0
	for _, l := range links {
		sum += l.at
	}
	return float64(sum) / float64(len(links))
}

// swap exchanges neighbours where fewer arrows cross then, and reports whether
// there were such.
func (s *sheet) swap() (better bool) {
	for _, layer := range s.layers {
		for i := 1; i < len(layer); i++ {
			a, b := layer[i-1], layer[i]
			if crossed(a, b, before)+crossed(a, b, after) > crossed(b, a, before)+crossed(b, a, after) {
				layer[i-1], layer[i], better = b, a, true
				a.at, b.at = i, i-1
			}
		}
	}
	return better
}

// crossed counts the crossings of arrows of two cells at a side, the upper cell
// first.
func crossed(a, b *cell, side int) (n int) {
	for _, p := range a.links[side] {
		for _, q := range b.links[side] {
			if p.at > q.at {
				n++
			}
		}
	}
	return n
}

func (s *sheet) crossings() (n int) {
	for _, layer := range s.layers {
		for i, a := range layer {
			for _, b := range layer[i+1:] {
				n += crossed(a, b, after)
			}
		}
	}
	return n
}
