package analysis

import (
	"reflect"
	"slices"
	"testing"

	"contend/format"
)

// keeper keeps copies of all slices, as deep as they go.
type keeper struct{ slices []Slice }

func (k *keeper) Begin(*Symbols, int64)       {}
func (k *keeper) Running(int64, int64, int64) {}
func (k *keeper) Slice(s *Slice) {
	c := *s
	c.Shares = append([]Share(nil), s.Shares...)
	for i := range c.Shares {
		c.Shares[i].Path = slices.Clone(c.Shares[i].Path)
	}
	k.slices = append(k.slices, c)
}

// Slices come through unchanged and in order, though the maker uses its shares
// and paths again at once: none, less than a batch, a batch, and many.
func TestRelay(t *testing.T) {
	for _, n := range []int{0, 1, relayedSlices, relayedSlices + 1, 10*relayedSlices + 3} {
		var direct, behind, other keeper
		x := newRelay([]Visitor{&behind, &other})
		shares, hops := make([]Share, 3), make([]Hop, 9)
		for i := range n {
			for j := range hops {
				hops[j] = Hop{Thread: format.ThreadID(i + j)}
			}
			for j := range shares {
				shares[j] = Share{Ns: int64(i * j), Hops: j + 1, Path: hops[3*j : 4*j]}
			}
			s := Slice{Start: int64(i), End: int64(i + 1), Shares: shares[:i%4]}
			direct.Slice(&s)
			x.slice(&s)
		}
		x.finish()
		if !reflect.DeepEqual(direct, behind) || !reflect.DeepEqual(direct, other) {
			t.Fatalf("%d slices: %d and %d came through, or not as they were", n, len(behind.slices), len(other.slices))
		}
	}
}
