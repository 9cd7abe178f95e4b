package column

import (
	"testing"

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
			p.Add(item{at(i), i})
		}
		order, last := p.Order(), item{-1, -1}
		for _, r := range order { // none comes twice where each comes after another
			it := *p.At(r)
			if it.at != at(it.added) || it.at < last.at || it.at == last.at && it.added <= last.added {
				t.Fatalf("%d elements, span %d, step %d: %v after %v", n, span, step, it, last)
			}
			last = it
		}
		if p.Len() != n || len(order) != n {
			t.Fatalf("%d of %d elements in order, of %d", len(order), p.Len(), n)
		}
	})
}

// Each visits every element once, even while pieces are being sorted.
func TestColumnEach(t *testing.T) {
	const n = 3*pieceLen + 1
	for range 5 {
		p := Column[item]{Start: func(i *item) int64 { return i.at }}
		for i := range n {
			p.Add(item{at: -int64(i), added: i})
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
		if len(h) > 0 {
			t.Fatalf("%d left", len(h))
		}
	})
}
