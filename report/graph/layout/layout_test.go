package layout

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// random draws a graph with cycles, loops and parallel arrows.
func random(t *rapid.T) ([]Size, []Arrow) {
	boxes := make([]Size, rapid.IntRange(1, 9).Draw(t, "boxes"))
	for i := range boxes {
		boxes[i] = Size{float64(rapid.IntRange(10, 300).Draw(t, "w")), float64(rapid.IntRange(10, 60).Draw(t, "h"))}
	}
	arrows := make([]Arrow, rapid.IntRange(0, 25).Draw(t, "arrows"))
	for i := range arrows {
		box := rapid.IntRange(0, len(boxes)-1)
		arrows[i] = Arrow{box.Draw(t, "from"), box.Draw(t, "to"), Size{float64(rapid.IntRange(10, 300).Draw(t, "label")), 30}}
	}
	return boxes, arrows
}

// rect is what a box or a label covers.
type rect struct{ left, top, right, bottom float64 }

func around(p Point, s Size) rect {
	return rect{p.X - s.W/2, p.Y - s.H/2, p.X + s.W/2, p.Y + s.H/2}
}

// on reports whether a point lies on the border.
func (r rect) on(p Point) bool {
	const near = 1e-6
	within := p.X > r.left-near && p.X < r.right+near && p.Y > r.top-near && p.Y < r.bottom+near
	inside := p.X > r.left+near && p.X < r.right-near && p.Y > r.top+near && p.Y < r.bottom-near
	return within && !inside
}

func (r rect) overlaps(o rect) bool {
	return r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom
}

// crosses reports whether a line may pass through: whether what lies between its
// ends does.
func (r rect) crosses(a, b Point) bool {
	const hair = 1e-6 // what sums of floats may be off
	return max(a.X, b.X) > r.left+hair && min(a.X, b.X) < r.right-hair && max(a.Y, b.Y) > r.top+hair && min(a.Y, b.Y) < r.bottom-hair
}

func TestNothingOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		boxes, arrows := random(t)
		p, err := Place(boxes, arrows)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Boxes) != len(boxes) || len(p.Routes) != len(arrows) {
			t.Fatalf("%d boxes of %d, %d arrows of %d", len(p.Boxes), len(boxes), len(p.Routes), len(arrows))
		}
		var rects []rect
		for i, b := range p.Boxes {
			rects = append(rects, around(b, boxes[i]))
		}
		for i, r := range p.Routes {
			rects = append(rects, around(r.Label, arrows[i].Label))
		}
		for i, a := range rects {
			if a.left < 0 || a.top < 0 || a.right > p.Size.W || a.bottom > p.Size.H {
				t.Fatalf("%v leaves the picture of %v", a, p.Size)
			}
			for _, b := range rects[:i] {
				if a.overlaps(b) {
					t.Fatalf("%v and %v overlap", a, b)
				}
			}
		}
		for i, r := range p.Routes {
			checkRoute(t, r, arrows[i], rects[:len(boxes)])
		}
	})
}

// checkRoute holds an arrow to its boxes: it goes from the border of one to that
// of the other, past all others and behind its label.
func checkRoute(t *rapid.T, r Route, a Arrow, boxes []rect) {
	if len(r.Bends) < 2 || !boxes[a.From].on(r.Bends[0]) || !boxes[a.To].on(r.Bends[len(r.Bends)-1]) {
		t.Fatalf("the arrow from %v to %v runs along %v", boxes[a.From], boxes[a.To], r.Bends)
	}
	labelled := false
	for i, to := range r.Bends[1:] {
		from := r.Bends[i]
		labelled = labelled || from.Y == r.Label.Y && to.Y == r.Label.Y && min(from.X, to.X) <= r.Label.X && max(from.X, to.X) >= r.Label.X
		for _, b := range boxes {
			if b.crosses(from, to) {
				t.Fatalf("%v to %v passes through %v", from, to, b)
			}
		}
	}
	if !labelled {
		t.Fatalf("%v does not pass behind its label at %v", r.Bends, r.Label)
	}
}

// Of two arrows that close a cycle, the one given first leads to the right.
func TestTheFirstArrowsLeadToTheRight(t *testing.T) {
	label := Size{50, 20}
	p, err := Place([]Size{{40, 40}, {40, 40}, {40, 40}}, []Arrow{{2, 1, label}, {1, 0, label}, {0, 2, label}})
	if err != nil {
		t.Fatal(err)
	}
	if !(p.Boxes[2].X < p.Boxes[1].X && p.Boxes[1].X < p.Boxes[0].X) {
		t.Errorf("%v", p.Boxes)
	}
}

// A fan of arrows needs to cross nowhere, nor does a box stand further from the
// one it leads to than it must.
func TestArrowsAreShortAndDoNotCross(t *testing.T) {
	label := Size{50, 20}
	boxes := []Size{{40, 40}, {40, 40}, {40, 40}, {40, 40}, {40, 40}, {40, 40}}
	// 0 to 3 by way of 1 and 2; 4 and 5 lead to 3 and 2 alone.
	s := newSheet(boxes, []Arrow{{0, 1, label}, {1, 2, label}, {2, 3, label}, {4, 3, label}, {0, 3, label}, {5, 2, label}}, make([]int, 6), 0)
	s.order()
	if n := s.crossings(); n != 0 {
		t.Errorf("%d crossings", n)
	}
	for i, want := range []int{0, 2, 4, 6, 4, 2} {
		if s.boxes[i].layer != want {
			t.Errorf("box %d is in layer %d, not %d", i, s.boxes[i].layer, want)
		}
	}
}

func TestBoxesWithoutArrowsAreListed(t *testing.T) {
	boxes := make([]Size, 300)
	for i := range boxes {
		boxes[i] = Size{100, 30}
	}
	p, err := Place(boxes, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Boxes[1:] {
		if p.Boxes[i+1].Y < p.Boxes[i].Y+30 {
			t.Errorf("%v follows %v", p.Boxes[i+1], p.Boxes[i])
		}
	}
}

func TestTheSameGraphGivesTheSamePicture(t *testing.T) {
	boxes := []Size{{100, 40}, {80, 40}, {60, 40}}
	arrows := []Arrow{{0, 1, Size{50, 20}}, {1, 2, Size{50, 20}}, {2, 0, Size{50, 20}}, {1, 1, Size{50, 20}}}
	first, err := Place(boxes, arrows)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Place(boxes, arrows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyArrowsAreRefused(t *testing.T) {
	if _, err := Place([]Size{{1, 1}}, make([]Arrow, MaxArrows+1)); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
}

func BenchmarkPlaceTheLargest(b *testing.B) {
	boxes := make([]Size, 75)
	for i := range boxes {
		boxes[i] = Size{120, 40}
	}
	arrows := make([]Arrow, MaxArrows)
	for i := range arrows {
		arrows[i] = Arrow{i % 75, (i*i + 7*i + i/75) % 75, Size{80, 40}}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Place(boxes, arrows); err != nil {
			b.Fatal(err)
		}
	}
}
