package record

import (
	"testing"

	"contend/analysis/internal/times"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

func TestGapsAroundAnInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g gapIndex
		var list []times.Span
		for range rapid.IntRange(0, 20).Draw(t, "gaps") {
			start := rapid.Int64Range(0, 50).Draw(t, "start")
			s := times.Span{Start: start, End: start + rapid.Int64Range(0, 9).Draw(t, "length")}
			g.addGap(s.Start, s.End)
			list = append(list, s)
		}
		at := rapid.Int64Range(0, 60).Draw(t, "at")
		end, start := format.NoTime, format.NoTime
		for _, s := range list {
			if s.End <= at {
				end = max(end, s.End)
			}
			if s.Start >= at && s.End > s.Start && (start == format.NoTime || s.Start < start) {
				start = s.Start
			}
		}
		if near := g.Around(at); near.Start != end || near.End != start {
			t.Fatalf(
				"the last gap before %d ends at %d, the first behind it starts at %d, want %d and %d",
				at,
				near.Start,
				near.End,
				end,
				start,
			)
		}
	})
}

// A recorder pauses for a moment when it begins a new file.
func TestPiecesOfOneRecordingNeedNotTouch(t *testing.T) {
	for _, c := range []struct {
		recorded, want []times.Span
	}{
		{nil, nil},
		{[]times.Span{{Start: 0, End: 10}}, nil},
		{[]times.Span{{Start: 20e9, End: 30e9}, {Start: 0, End: 10e9}}, []times.Span{{Start: 10e9, End: 20e9}}},
		{[]times.Span{{Start: 0, End: 10e9}, {Start: 11e9, End: 12e9}, {Start: 12e9 + 1e6, End: 13e9}}, nil},
		{[]times.Span{{Start: 0, End: 10e9}, {Start: 10.7e9, End: 11e9}, {Start: 12.5e9, End: 13e9}},
			[]times.Span{{Start: 11e9, End: 12.5e9}}},
		{[]times.Span{{Start: 0, End: 100e9}, {Start: 10e9, End: 20e9}, {Start: 30e9, End: 40e9}}, nil},
		{[]times.Span{{Start: 0, End: 10e9}, {Start: 5e9, End: 7e9}, {Start: 14e9, End: 15e9},
			{Start: 20e9, End: 20e9}}, []times.Span{{Start: 10e9, End: 14e9}, {Start: 15e9, End: 20e9}}},
	} {
		golden.Same(t, between(c.recorded), c.want, c.recorded)
	}
}
