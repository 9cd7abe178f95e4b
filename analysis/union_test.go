package analysis

import (
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

func TestUnionCountsEachInstantOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var u Union
		var covered [200]bool
		for range rapid.IntRange(0, 30).Draw(rt, "n") {
			from := rapid.IntRange(0, 190).Draw(rt, "from")
			to := from + rapid.IntRange(0, 9).Draw(rt, "length")
			u.Add(int64(from), int64(to))
			for i := from; i < to; i++ {
				covered[i] = true
			}
		}
		want := int64(0)
		for _, c := range covered {
			if c {
				want++
			}
		}
		golden.Equal(rt, u.Len(), want)
	})
}

func TestUnionOfSlicesInOrderOfTimeStaysSmall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all, some Union
		at := int64(0)
		for range 4 * openSpans {
			at += rapid.Int64Range(0, 3).Draw(rt, "pause")
			s := Slice{Start: at, End: at + rapid.Int64Range(0, 3).Draw(rt, "length"), Sample: Sample{InOrder: true}}
			all.Add(s.Start, s.End)
			some.AddSlice(&s)
		}
		golden.Equal(rt, some.Len(), all.Len())
		golden.AtMost(rt, len(some.spans), openSpans, "keeps", "spans")
	})
}

func TestUnionOfSlicesInAnyOrderKeepsAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all, some Union
		for range 2 * openSpans {
			at := rapid.Int64Range(0, 1<<12).Draw(rt, "at")
			s := Slice{Start: at, End: at + rapid.Int64Range(0, 9).Draw(rt, "length")}
			all.Add(s.Start, s.End)
			some.AddSlice(&s)
		}
		golden.Equal(rt, some.Len(), all.Len())
	})
}

// unions measures the wall-clock time of all slices in two ways.
type unions struct{ closed, kept Union }

func (u *unions) Begin(*Symbols, int64) {}
func (u *unions) Slice(s *Slice) {
	u.closed.AddSlice(s)
	u.kept.Add(s.Start, s.End)
}

// Inputs that are read one after the other cover the same time: spans that one of them
// closed would count again in the next.
func TestWallTimeOfSampledInputsCountsEachInstantOnce(t *testing.T) {
	list := &format.List{}
	for range 2 {
		_ = list.Write(&format.Event{Kind: format.KindSetting, Name: format.SettingInput, Value: "x"})
		for i := range int64(4 * openSpans) {
			ev := tick(1000+10*i, 1000+10*i, 2, 0)
			_ = list.Write(&ev)
			if i%2 == 0 { // every other instant: a span each
				ev = sample(1000+10*i, 1, 1, 2)
				_ = list.Write(&ev)
			}
		}
	}
	u := &unions{}
	golden.Must(Run(list, open, u))(t)
	golden.Equal(t, u.closed.Len(), u.kept.Len())
}

// Intervals may come in any order, as those of one thread after another's. For threads that
// wait together no more memory is needed than for one of them.
func TestUnionsInAnyOrder(t *testing.T) {
	for _, apart := range []int64{10, 50, 90} { // of 100 ns, a thread waits for 60
		var s Union
		var all []*Union
		const threads, waits = 40, 500
		for thread := range int64(threads) {
			u := &Union{}
			for i := range int64(waits) {
				from := i*100 + (thread*7+i)%apart
				s.Add(from, from+60)
				u.Add(from, from+60)
			}
			s.Add(1e9, 1e9)
			all = append(all, u)
			if kept := cap(s.spans); kept > 4*waits {
				t.Fatalf("%d spans are kept", kept)
			}
		}
		if got, want := s.Len(), UnionOf(all).Len(); got != want || got != s.Len() {
			t.Errorf("union is %d ns long, want %d", got, want)
		}
	}
}

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
		golden.Equal(t, c.kept.Len(), c.closed.Len())
		golden.AtMost(t, len(c.closed.spans), 4*boundEvery)
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
		golden.Equal(t, visits, want, waiting, "threads wait: all are visited", "times while", emitted, "are emitted")
	}
}
