package owners

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"contend/format"
)

// What threads did comes back as it was, whatever its length.
func TestOthersAreStoredWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s, all := &others{}, []Other(nil)
	for i := range 150_000 {
		length := int64(r.IntN(1e9))
		switch r.IntN(50) {
		case 0:
			length = int64(1)<<32 - 1 + int64(r.IntN(2))
		case 1:
			length = r.Int64N(1 << 60)
		}
		start := r.Int64N(1e15) - 5e14
		o := newOther(&format.Event{Time: start, Thread: format.ThreadID(r.IntN(i/10 + 1)), Stack: format.StackID(r.IntN(300)), Activity: format.Activity(r.IntN(8)), Resource: r.IntN(9) == 0}, start+length)
		s.Add(o)
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b Other) int { return cmp.Compare(a.Start, b.Start) })
	for i, ref := range s.Order() {
		if got := s.At(ref); got != all[i] || s.start(ref) != all[i].Start {
			t.Fatalf("%d: %+v, want %+v", i, got, all[i])
		}
	}
	n := 0
	s.Each(func(_ uint32, o *Other) { n++ })
	if size := unsafe.Sizeof(shortOther{}); n != len(all) || size != 16 {
		t.Errorf("%d of %d, in %d bytes each", n, len(all), size)
	}
}
