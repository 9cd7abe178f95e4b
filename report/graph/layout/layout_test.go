package layout

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// random draws a graph with cycles, loops and parallel arrows.
func random(t *rapid.T) ([]Size, []Arrow) {
	boxes := make([]Size, rapid.IntRange(1, 5).Draw(t, "boxes"))
	for i := range boxes {
		boxes[i] = Size{float64(rapid.IntRange(10, 300).Draw(t, "w")), float64(rapid.IntRange(10, 60).Draw(t, "h"))}
	}
	arrows := make([]Arrow, rapid.IntRange(0, 8).Draw(t, "arrows"))
	for i := range arrows {
		box := rapid.IntRange(0, len(boxes)-1)
		arrows[i] = Arrow{box.Draw(t, "from"), box.Draw(t, "to"), Size{100, 30}}
	}
	return boxes, arrows
}

func TestBoxesDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		boxes, arrows := random(t)
		p, err := Place(boxes, arrows)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Boxes) != len(boxes) || len(p.Routes) != len(arrows) {
			t.Fatalf("%d boxes of %d, %d arrows of %d", len(p.Boxes), len(boxes), len(p.Routes), len(arrows))
		}
		for i, a := range p.Boxes {
			if a.X-boxes[i].W/2 < 0 || a.Y-boxes[i].H/2 < 0 || a.X+boxes[i].W/2 > p.Size.W || a.Y+boxes[i].H/2 > p.Size.H {
				t.Fatalf("box %d at %v of %v leaves the picture of %v", i, a, boxes[i], p.Size)
			}
			for j, b := range p.Boxes[:i] {
				if math.Abs(a.X-b.X) < (boxes[i].W+boxes[j].W)/2 && math.Abs(a.Y-b.Y) < (boxes[i].H+boxes[j].H)/2 {
					t.Fatalf("boxes %d and %d overlap", i, j)
				}
			}
		}
		for i, r := range p.Routes {
			if len(r.Bends) < 2 {
				t.Fatalf("arrow %d has %d bends", i, len(r.Bends))
			}
		}
	})
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

func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	for _, flat := range [][]float64{nil, {1, 1}, {1, 1, 2, 2, 3, 3, 9, 1, 1}, {1, 1, 2, 2, 3, 3, -1}} {
		if p, err := read(flat, 1, 1); err == nil {
			t.Errorf("%v gives %+v", flat, p)
		}
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
