package pass

import (
	"reflect"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// unions measures the wall-clock time of all slices in two ways.
type unions struct{ closed, kept analysis.Union }

func (u *unions) Begin(*analysis.Symbols, int64) {}

func (u *unions) Slice(s *analysis.Slice) {
	u.closed.AddSlice(s)
	u.kept.AddInterval(s.Start, s.End)
}

// Inputs that are read one after the other cover the same time: spans that one of them
// closed would count again in the next.
func TestWallTimeOfSampledInputsCountsEachInstantOnce(t *testing.T) {
	list := &format.List{}
	for range 2 {
		_ = list.Write(&format.Event{Kind: format.KindSetting, Name: format.SettingInput, Value: "x"})
		for i := range int64(4 * 32) {
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

// startCheck is a visitor that checks NoEarlierStart, and measures the same union with it
// and without.
type startCheck struct {
	t        *rapid.T
	earliest int64
	bounded  int
	kept     analysis.Union // all spans
	closed   analysis.Union
}

func (c *startCheck) Begin(*analysis.Symbols, int64) { c.earliest = format.NoTime }

func (c *startCheck) Slice(s *analysis.Slice) {
	if s.Start < c.earliest {
		c.t.Fatalf("a slice starts at %d, but %d is the earliest", s.Start, c.earliest)
	}
	if c.earliest = max(c.earliest, s.NoEarlierStart); c.earliest != format.NoTime {
		c.bounded++
	}
	c.kept.AddInterval(s.Start, s.End)
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
		golden.AtMost(t, reflect.ValueOf(c.closed).FieldByName("spans").Len(), 4*1024)
	})
}
