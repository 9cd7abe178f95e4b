package analysis

import (
	"testing"

	"contend/format"

	"pgregory.net/rapid"
)

// settledCheck is a visitor that holds slices to their promise, and measures
// the same union with it and without.
type settledCheck struct {
	t       *rapid.T
	settled int64
	known   int
	kept    Union // every span
	closed  Union
}

func (c *settledCheck) Begin(*Symbols, int64) { c.settled = format.NoTime }
func (c *settledCheck) Running(_, _, _ int64) {}
func (c *settledCheck) Slice(s *Slice) {
	if s.Start < c.settled {
		c.t.Fatalf("a slice starts at %d, but %d was settled", s.Start, c.settled)
	}
	if c.settled = max(c.settled, s.Settled); c.settled != format.NoTime {
		c.known++
	}
	c.kept.Add(s.Start, s.End)
	c.closed.AddSlice(s)
}

// What is settled stays so, and closing it changes no wall-time.
func TestSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := &format.List{}
		n := rapid.IntRange(2000, 6000).Draw(t, "waits")
		threads := rapid.IntRange(1, 8).Draw(t, "threads")
		long := int64(rapid.IntRange(1, 500).Draw(t, "long"))
		for i := range n {
			at := int64(i) * 100
			ev := waits(1+i%threads, 1+i%3, at, at+1+int64(i)*7919%long)
			_ = list.Write(&ev)
		}
		c := &settledCheck{t: t}
		if _, err := Run(list, Filter{From: format.NoTime, To: format.NoTime}, c); err != nil {
			t.Fatal(err)
		}
		if c.known == 0 {
			t.Fatal("nothing was ever settled")
		}
		if c.kept.Len() != c.closed.Len() || len(c.closed.spans) > 4*settleEvery {
			t.Fatalf("%d ns in %d spans, want %d ns", c.closed.Len(), len(c.closed.spans), c.kept.Len())
		}
	})
}
