package analysis

import (
	"testing"

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
			u.AddInterval(int64(from), int64(to))
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
			all.AddInterval(s.Start, s.End)
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
			all.AddInterval(s.Start, s.End)
			some.AddSlice(&s)
		}
		golden.Equal(rt, some.Len(), all.Len())
	})
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
				s.AddInterval(from, from+60)
				u.AddInterval(from, from+60)
			}
			s.AddInterval(1e9, 1e9)
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
