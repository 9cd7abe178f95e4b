package layout

// rounds is how often the heights of all layers are found anew: after so many
// nothing moves by a pixel in the largest graph that is drawn.
const rounds = 60

// levelWeight is how much more it counts that an arrow runs level between two
// stretches of it than beside a box: long arrows are straight in their middle.
const levelWeight = 8

// align finds heights that keep arrows level. Each layer by itself gets the
// best heights there are while its neighbours stay where they are, back and
// forth: the sum of the squares of what all arrows climb only falls.
func (s *sheet) align() {
	for range rounds {
		for i := range s.layers {
			place(s.layers[i])
		}
		for i := range s.layers {
			place(s.layers[len(s.layers)-1-i])
		}
	}
}

// block is a run of cells of a layer that stand as near as they may: the
// height its first cell wants for all of them, and how strongly.
type block struct {
	want, weight float64
	cells        int
}

// place puts the cells of a layer as near to the heights they want as their
// order and their distances allow. Cells that would overlap become one block,
// which stands at the mean of what they want: this finds the least squares.
func place(layer []*cell) {
	var blocks []block
	offset := make([]float64, len(layer)) // from the first cell, all as near as may be
	for i, c := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + layer[i-1].down + separation + c.up
		}
		want, weight := c.wish()
		b := block{want - offset[i], weight, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].want >= b.want {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			sum := last.weight + b.weight
			b = block{(last.want*last.weight + b.want*b.weight) / sum, sum, last.cells + b.cells}
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.cells {
			layer[i].y = b.want + offset[i]
			i++
		}
	}
}

// wish is the height at which the arrows of a cell climb least, and how much
// that counts. One without arrows stays where it is.
func (c *cell) wish() (y, weight float64) {
	for _, links := range c.links {
		for _, l := range links {
			w := 1.0
			if c.box < 0 && l.box < 0 {
				w = levelWeight
			}
			y, weight = y+w*l.y, weight+w
		}
	}
	if weight == 0 {
		return c.y, 1
	}
	return y / weight, weight
}
