package layout

import "slices"

// draw writes the finished sheet into the picture, below top, and returns how
// far right and down it reaches.
func (s *sheet) draw(p *Placed, top float64) (reach Size) {
	highest := s.layers[0][0].y - s.layers[0][0].up
	for _, layer := range s.layers {
		highest = min(highest, layer[0].y-layer[0].up)
	}
	for _, layer := range s.layers {
		for _, c := range layer {
			c.y += top - highest
			reach.H = max(reach.H, c.y+c.down)
		}
	}
	columns := s.columns()
	for _, b := range s.boxes {
		p.Boxes[b.box] = Point{columns[b.layer].middle(), b.y}
		b.spread()
		foot := b.y + b.size.H/2
		for _, arrow := range b.loops {
			p.Routes[arrow], foot = b.loop(p.Boxes[b.box], foot, s.arrows[arrow].Label.H)
		}
	}
	for i := range s.chains {
		p.Routes[s.chains[i].arrow] = s.chains[i].route(columns)
	}
	return Size{columns[len(columns)-1].right, reach.H}
}

// column is the stretch of the picture that a layer takes.
type column struct{ left, right float64 }

func (c column) middle() float64 { return (c.left + c.right) / 2 }

// columns finds how wide layers and the gaps between them are. Where arrows
// climb far, they get more room for it.
func (s *sheet) columns() []column {
	out := make([]column, len(s.layers))
	x := float64(margin)
	for i, layer := range s.layers {
		wide, climb := 0.0, 0.0
		for _, c := range layer {
			wide = max(wide, c.wide)
			for _, next := range c.links[after] {
				climb = max(climb, next.y-c.y, c.y-next.y)
			}
		}
		out[i] = column{x, x + wide}
		x += wide + gap + min(climb/climbShare, maxClimb)
	}
	return out
}

// spread gives each arrow of a box its own place on the border, in the order
// in which they go on.
func (c *cell) spread() {
	for side, links := range c.links {
		step := min(ports, c.size.H/float64(len(links)+1))
		for i, l := range byPlace(links) {
			l.ports[1-side] = c.y + (float64(i)-float64(len(links)-1)/2)*step
		}
	}
}

// route follows the cells of an arrow. It runs level through each layer, and
// climbs between them, where nothing stands in its way.
func (ch *chain) route(columns []column) (r Route) {
	first, last := ch.cells[0], ch.cells[len(ch.cells)-1]
	from, to := first.links[before][0], last.links[after][0]
	x := columns[from.layer]
	r.Bends = []Point{{x.middle() + from.size.W/2, first.ports[before]}, {x.right + stub, first.ports[before]}}
	for _, c := range ch.cells {
		x := columns[c.layer]
		r.Bends = append(r.Bends, Point{x.left, c.y}, Point{x.right, c.y})
		if c == ch.label {
			r.Label = Point{x.middle(), c.y}
		}
	}
	x = columns[to.layer]
	r.Bends = append(r.Bends, Point{x.left - stub, last.ports[after]}, Point{x.middle() - to.size.W/2, last.ports[after]})
	if ch.turned {
		slices.Reverse(r.Bends)
	}
	return r
}

// loop is an arrow from the foot of a box down behind its label and back. It
// comes from below the labels of those before it; how far down it reaches is
// returned, too.
func (c *cell) loop(middle Point, above, label float64) (Route, float64) {
	half, top, low := min(loopHalf, c.size.W/4), middle.Y+c.size.H/2, above+loopGap+label/2
	return Route{Point{middle.X, low}, []Point{{middle.X + half, top}, {middle.X + half, low}, {middle.X - half, low}, {middle.X - half, top}}}, low + label/2
}
