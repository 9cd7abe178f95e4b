// Package layout places the boxes of a directed graph in layers from left to
// right, and routes the arrows between them, in the steps of Sugiyama, Tagawa
// and Toda (1981): a layer for each box, the order within the layers, heights,
// and last the routes.
package layout

import (
	"errors"
	"fmt"
)

// Point is a place in the picture, in pixels from the upper left corner.
type Point struct{ X, Y float64 }

// Size is the room something takes.
type Size struct{ W, H float64 }

// Arrow leads from a box to a box, given by their indexes, and carries a label.
type Arrow struct {
	From, To int
	Label    Size
}

// Route is where an arrow runs: its bends, from border to border, and the
// middle of its label.
type Route struct {
	Label Point
	Bends []Point
}

// Placed is a finished layout: the middles of the boxes and the routes of the
// arrows, in the order in which they were given.
type Placed struct {
	Size   Size
	Boxes  []Point
	Routes []Route
}

// MaxArrows bounds a layout: nobody can read more.
const MaxArrows = 150

// ErrTooMany says that a graph has more than MaxArrows arrows.
var ErrTooMany = errors.New("too many edges for a picture")

// The distances, in pixels.
const (
	margin     = 16 // around the picture
	separation = 18 // between what stands in one layer
	gap        = 34 // between two layers, at least
	climbShare = 5  // a gap grows by a fifth of how far its arrows climb,
	maxClimb   = 90 // but by no more than this
	stub       = 10 // an arrow leaves and meets a box level
	ports      = 14 // between the arrows at one side of a box, at most
	loopGap    = 22 // between a box and the label of an arrow to itself
	loopHalf   = 24 // half of how wide such an arrow is
)

// Place lays a graph out. Where there is a cycle, the arrows given first lead
// to the right, and a later one back. The same graph gives the same picture;
// that of no box has no size. The error is ErrTooMany.
func Place(boxes []Size, arrows []Arrow) (*Placed, error) {
	if len(arrows) > MaxArrows {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(arrows), MaxArrows)
	}
	p := &Placed{Boxes: make([]Point, len(boxes)), Routes: make([]Route, len(arrows))}
	if len(boxes) == 0 {
		return p, nil
	}
	part, bottom := parts(len(boxes), arrows), float64(margin)
	for i := range boxes { // what does not hang together stands one below the other
		if part[i] != i {
			continue
		}
		s := newSheet(boxes, arrows, part, i)
		s.order()
		s.align()
		size := s.draw(p, bottom)
		p.Size.W, bottom = max(p.Size.W, size.W+margin), size.H+separation
	}
	p.Size.H = bottom - separation + margin
	return p, nil
}

// parts tells what hangs together: for each box the first one that arrows link
// it to, in whatever direction.
func parts(boxes int, arrows []Arrow) []int {
	part := make([]int, boxes)
	for i := range part {
		part[i] = i
	}
	for changed := true; changed; {
		changed = false
		for _, a := range arrows {
			if f, t := part[a.From], part[a.To]; f != t {
				part[a.From], part[a.To], changed = min(f, t), min(f, t), true
			}
		}
	}
	return part
}
