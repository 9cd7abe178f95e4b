package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// totals is a visitor that wants no more than sums.
type totals struct {
	of   map[*Waiting]tallied
	told int
}

func (*totals) Begin(*Symbols, int64) {}
func (*totals) Slice(*Slice)          { panic("a slice of a stretch that was tallied") }
func (v *totals) Tally(w *Waiting, ns, n int64) {
	sum := v.of[w]
	v.of[w] = tallied{w, sum.ns + ns, sum.n + n}
	v.told++
}

// However stretches follow each other, and however many take each other's place, who wants
// sums has all of them when the dispatcher waits, as it does before a definition changes.
func TestTalliesAreComplete(t *testing.T) {
	for _, kinds := range []int{1, 7, 3 * tallySlots} {
		t.Run(fmt.Sprint(kinds), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(kinds)))
			shown := make([]Waiting, kinds)
			for i := range shown {
				shown[i].number = uint32(i)
				shown[i].Groups = make([]Group, 1+i%2)
			}
			want, got := map[*Waiting]tallied{}, totals{of: map[*Waiting]tallied{}}
			d := newDispatcher(nil, []Visitor{&got})
			const stretches = 9 * batchCalls
			for i := range stretches {
				w := &shown[random.IntN(kinds)]
				s, length := d.stretch(), random.Int64N(100)
				*s = Stretch{Start: int64(i), End: int64(i) + length, Waiting: w}
				want[w] = tallied{w, want[w].ns + length, want[w].n + 1}
				d.handOver()
				if i%(3*batchCalls+7) != 0 && i != stretches-1 {
					continue
				}
				d.wait()
				for w, sum := range want {
					if got.of[w] != sum {
						t.Fatalf("behind %d stretches: %+v, want %+v", i+1, got.of[w], sum)
					}
				}
			}
			if d.close(); kinds < tallySlots && got.told > stretches/batchCalls*kinds {
				t.Errorf("told %d times of %d stretches", got.told, stretches)
			}
		})
	}
}
