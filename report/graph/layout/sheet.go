package layout

import "slices"

// The sides of a cell.
const (
	before = iota // left, where arrows come in
	after
)

// cell is what stands in a layer: a box, or a stretch of an arrow that runs
// through it, with the label in one of them.
type cell struct {
	box       int        // -1 for a stretch of an arrow
	size      Size       // of the box or the label
	wide      float64    // with the labels of arrows to itself
	up, down  float64    // from the middle to its ends
	layer, at int        // at is the place within the layer
	y         float64    // of the middle
	links     [2][]*cell // to cells of the layers at both sides
	ports     [2]float64 // of a stretch beside a box: where its arrow meets that
	loops     []int      // arrows of a box to itself
}

// chain is an arrow from a box to another, through all layers between them.
type chain struct {
	link
	cells []*cell
	label *cell // one of them
}

// sheet is one part of a graph. Boxes stand in even layers and labels in odd
// ones, so that an arrow has room for its label however near its boxes are.
type sheet struct {
	layers [][]*cell
	boxes  []*cell // in order
	chains []chain
	arrows []Arrow // of the whole graph
}

// newSheet puts a part of a graph in layers, in no order yet.
func newSheet(boxes []Size, arrows []Arrow, part []int, which int) *sheet {
	s := &sheet{arrows: arrows}
	links := acyclic(arrows, part, which)
	ranks := rank(len(boxes), links)
	lowest := ranks[which]
	for i := range boxes {
		if part[i] == which {
			lowest = min(lowest, ranks[i])
		}
	}
	of := make([]*cell, len(boxes))
	for i, b := range boxes {
		if part[i] == which {
			of[i] = &cell{box: i, size: b, wide: b.W, up: b.H / 2, down: b.H / 2, layer: 2 * (ranks[i] - lowest)}
			s.boxes = append(s.boxes, of[i])
			s.add(of[i])
		}
	}
	for i, a := range arrows {
		if a.From == a.To && part[a.From] == which {
			b := of[a.From]
			b.wide, b.down = max(b.wide, a.Label.W), b.down+loopGap+a.Label.H
			b.loops = append(b.loops, i)
		}
	}
	for _, l := range links {
		s.chains = append(s.chains, s.lead(l, of[l.from], of[l.to]))
	}
	return s
}

// add appends a cell to its layer.
func (s *sheet) add(c *cell) {
	for len(s.layers) <= c.layer {
		s.layers = append(s.layers, nil)
	}
	s.layers[c.layer] = append(s.layers[c.layer], c)
}

// lead runs an arrow through the layers between two boxes, with its label in
// the middle.
func (s *sheet) lead(l link, from, to *cell) chain {
	ch, label := chain{link: l}, (from.layer+to.layer)/2|1
	last := from
	for layer := from.layer + 1; layer < to.layer; layer++ {
		c := &cell{box: -1, layer: layer}
		if layer == label {
			c.size = s.arrows[l.arrow].Label
			c.wide, c.up, c.down, ch.label = c.size.W, c.size.H/2, c.size.H/2, c
		}
		s.add(c)
		join(last, c)
		ch.cells, last = append(ch.cells, c), c
	}
	join(last, to)
	return ch
}

func join(left, right *cell) {
	left.links[after] = append(left.links[after], right)
	right.links[before] = append(right.links[before], left)
}

// number tells each cell of a layer its place.
func number(layer []*cell) {
	for i, c := range layer {
		c.at = i
	}
}

// byPlace returns linked cells from the uppermost to the lowest.
func byPlace(links []*cell) []*cell {
	return slices.SortedStableFunc(slices.Values(links), func(a, b *cell) int { return a.at - b.at })
}
