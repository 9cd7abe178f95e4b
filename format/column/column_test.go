package column

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/golden"

	"pgregory.net/rapid"
)

type item struct {
	at    int64
	added int
}

// Order returns what a stable sort of all elements would, over several pieces.
func TestColumnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Int64Range(1, 1<<20).Draw(t, "span")
		step := rapid.Int64Range(1, 1<<40).Draw(t, "step")
		n := rapid.SampledFrom([]int{0, 1, 1000, pieceLen, pieceLen + 1, 3*pieceLen - 1, 6*pieceLen + 5}).Draw(t, "n")
		p := Column[item]{Start: func(i *item) int64 { return i.at }}
		at := func(i int) int64 { return int64(i) * step % span }
		for i := range n {
			p.Append(item{at(i), i})
		}
		order, last := p.Order(), item{-1, -1}
		for _, r := range order { // none comes twice where each comes after another
			it := *p.Elem(r)
			if it.at != at(it.added) || it.at < last.at || it.at == last.at && it.added <= last.added {
				t.Fatalf("%d elements, span %d, step %d: %v after %v", n, span, step, it, last)
			}
			last = it
		}
		golden.Equal(t, p.Len(), n)
		golden.Equal(t, len(order), n)
	})
}

// Each visits every element once, even while pieces are being sorted.
func TestColumnEach(t *testing.T) {
	const n = 3*pieceLen + 1
	for range 5 {
		p := Column[item]{Start: func(i *item) int64 { return i.at }}
		for i := range n {
			p.Append(item{at: -int64(i), added: i})
		}
		met := make([]bool, n)
		p.Each(func(_ Ref, it *item) {
			if met[it.added] {
				t.Fatalf("element %d is met again", it.added)
			}
			met[it.added] = true
		})
	}
}

func TestKeyHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Int64Range(-5, 5)).Draw(t, "instants")
		var h KeyHeap
		for i, at := range list {
			h.Push(Key{at, uint32(i)})
		}
		last := Key{At: -6}
		for range list {
			if h[0].before(last) {
				t.Fatalf("%v after %v", h[0], last)
			}
			last = h[0]
			h.Pop()
		}
		golden.AtMost(t, len(h), 0, "left")
	})
}

// TestSorter compares with a sort by comparison, over instants of narrow and
// of wide range, on both sides of zero, with many that are equal.
func TestSorter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s sorter
	for _, width := range []int64{1, 2, 100, 1 << 20, 1 << 44, math.MaxInt64} {
		for _, n := range []int{1, 2, 3, 1000, 50} { // the sorter is used again, for fewer too
			want := make([]Key, n)
			for i := range want {
				want[i] = Key{rng.Int64N(width) - width/2, uint32(i)}
			}
			want[0].At = []int64{0, math.MinInt64, math.MaxInt64}[n%3]
			s.keys = append(s.keys[:0], want...)
			slices.SortStableFunc(want, func(a, b Key) int { return cmp.Compare(a.At, b.At) })
			if got := s.sort(); !slices.Equal(got, want) {
				t.Fatalf("%d keys within %d ns: %v, want %v", n, width, got, want)
			}
		}
	}
}

// Keys that are near each other except for one are sorted, stably.
func TestSorterOfCrowdedKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	want := make([]Key, 1<<14)
	for i := range want {
		want[i] = Key{rng.Int64N(1 << 12), uint32(i)}
	}
	want[77].At = 1 << 50
	s := sorter{keys: slices.Clone(want)}
	slices.SortStableFunc(want, func(a, b Key) int { return cmp.Compare(a.At, b.At) })
	golden.Same(t, s.sort(), want, "they are not in order")
}

// numbers packs numbers as they are.
type numbers struct{}

func (numbers) Put(to []byte, v *int64) []byte { return binary.AppendVarint(to, *v) }
func (numbers) Get(from []byte, v *int64) []byte {
	n := 0
	*v, n = binary.Varint(from)
	return from[n:]
}

// EachSince visits what was added since, without earlier pieces, also if the column was
// read in between.
func TestPackedSince(t *testing.T) {
	c := &Packed[int64]{Start: func(v *int64) int64 { return *v }, Coder: func() Coder[int64] { return numbers{} }}
	add := func(from, to int64) {
		for v := from; v < to; v++ {
			c.Append(v)
		}
	}
	since := func(pieces int) (first, n int64) {
		first = -1
		c.EachSince(pieces, func(v *int64) {
			if n++; first < 0 {
				first = *v
			}
		})
		return first, n
	}
	add(0, 2*pieceLen+5)
	at := c.Begun()
	add(2*pieceLen+5, 2*pieceLen+9)
	if first, n := since(at); first > 2*pieceLen+5 || first < pieceLen || first+n != 2*pieceLen+9 {
		t.Errorf("from %d on %d", first, n)
	}
	at = c.Begun()
	add(2*pieceLen+9, 3*pieceLen+20)
	if first, n := since(at); first != 2*pieceLen+9 || n != pieceLen+11 {
		t.Errorf("behind what was read, from %d on %d", first, n)
	}
	if first, n := since(0); first != 0 || n != 3*pieceLen+20 {
		t.Errorf("in all from %d on %d", first, n)
	}
}

// A column may be read between additions. Reading it in order of time frees its scratch memory.
func TestPackedLetsGoOfWhatItIsFilledWith(t *testing.T) {
	c := &Packed[int64]{Start: func(v *int64) int64 { return *v }, Coder: func() Coder[int64] { return numbers{} }}
	n := int64(0)
	for range 3 {
		for range 2*pieceLen + 5 {
			c.Append(n)
			n++
		}
		want := int64(0)
		c.Each(func(v *int64) {
			if *v != want {
				t.Fatalf("%d, want %d", *v, want)
			}
			want++
		})
		golden.Equal(t, want, n, "read")
	}
	for range c.Ordered() {
	}
	if c.last != nil || c.scratch != nil || c.sorter.keys != nil {
		t.Errorf("scratch memory of %d bytes and %d keys", len(c.scratch), len(c.sorter.keys))
	}
}

// A column that is filled again has only what was added since, whatever it had before.
func TestColumnIsFilledAgain(t *testing.T) {
	sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 500, pieceLen, pieceLen + 1, 2*pieceLen + 7}), 2, 4)
	rapid.Check(t, func(t *rapid.T) {
		var c Column[int]
		for round, n := range sizes.Draw(t, "sizes") {
			c.Reset()
			for i := range n {
				c.Append(round<<32 + i)
			}
			next := 0
			c.Each(func(r Ref, v *int) {
				if int(r) != next || *v != round<<32+next || c.Elem(r) != v {
					t.Fatalf("round %d: %x at %d, want %x at %d", round, *v, r, round<<32+next, next)
				}
				next++
			})
			golden.Equal(t, next, n, "visited")
			golden.Equal(t, c.Len(), n)
		}
	})
}
