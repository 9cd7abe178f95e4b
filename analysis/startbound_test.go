package analysis

import (
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// startCheck is a visitor that checks NoEarlierStart, and measures the same union with it
// and without.
type startCheck struct {
	t        *rapid.T
	earliest int64
	bounded  int
	kept     Union // all spans
	closed   Union
}

func (c *startCheck) Begin(*Symbols, int64) { c.earliest = format.NoTime }
func (c *startCheck) Slice(s *Slice) {
	if s.Start < c.earliest {
		c.t.Fatalf("a slice starts at %d, but %d is the earliest", s.Start, c.earliest)
	}
	if c.earliest = max(c.earliest, s.NoEarlierStart); c.earliest != format.NoTime {
		c.bounded++
	}
	c.kept.Add(s.Start, s.End)
	c.closed.AddSlice(s)
}

// No slice starts before the bound, and closing a union there does not change its length.
func TestNoSliceStartsBeforeTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := &format.List{}
		n := rapid.IntRange(2000, golden.Depth(3000, 3000, 6000)).Draw(t, "waits")
		threads := rapid.IntRange(1, 8).Draw(t, "threads")
		long := int64(rapid.IntRange(1, 500).Draw(t, "long"))
		for i := range n {
			at := int64(i) * 100
			ev := waits(1+i%threads, 1+i%3, at, at+1+int64(i)*7919%long)
			_ = list.Write(&ev)
		}
		c := &startCheck{t: t}
		golden.Must(Run(list, open, c))(t)
		if c.bounded == 0 {
			t.Fatal("nothing was ever promised")
		}
		if c.kept.Len() != c.closed.Len() || len(c.closed.spans) > 4*boundEvery {
			t.Fatalf("%d ns in %d spans, want %d ns", c.closed.Len(), len(c.closed.spans), c.kept.Len())
		}
	})
}

// The bound is computed at most once for boundShare emitted slices of each waiter: each
// computation visits all waiters.
func TestTheBoundIsAsCheapForManyWaiters(t *testing.T) {
	const emitted = 1 << 17
	for waiting, want := range map[int]int{1: 128, 256: 128, 1024: 32, 16384: 2} {
		s := &openWaits{state: make([]nodeState, waiting), queue: make([]queue, 1)}
		s.g.blocked = make([]blocked, waiting)
		s.queue[0].open = make([]openSlice, waiting)
		for i := range waiting {
			s.state[i].place = uint32(i)
			s.queue[0].open[i].since = emitted
			s.waiting.Push(column.Key{ID: uint32(i)})
		}
		visits := 0
		for i := range emitted {
			before := s.noEarlierStart
			s.now = int64(i)
			if s.boundStarts(1); s.noEarlierStart > before {
				visits++
			}
		}
		if visits != want {
			t.Errorf("%d threads wait: all are visited %d times while %d are emitted, want %d", waiting, visits, emitted, want)
		}
	}
}
