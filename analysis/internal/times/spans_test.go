package times

import (
	"testing"

	"contend/golden"

	"pgregory.net/rapid"
)

// What is outside of some spans is counted and listed alike.
func TestWithout(t *testing.T) {
	draw := func(rt *rapid.T, label string) []Span {
		var all []Span
		for range rapid.IntRange(0, 6).Draw(rt, label) {
			at := rapid.Int64Range(0, 50).Draw(rt, "at")
			all = append(all, Span{at, at + rapid.Int64Range(1, 9).Draw(rt, "length")})
		}
		return UnionOf(all)
	}
	rapid.Check(t, func(rt *rapid.T) {
		list, others, cut := draw(rt, "list"), draw(rt, "others"), Span{10, 40}
		var left []Span
		Without(list, others, func(s Span) { left = append(left, s) })
		want := int64(0)
		for at := cut.Start; at < cut.End; at++ {
			if Within(list, Span{at, at + 1}) > Within(others, Span{at, at + 1}) {
				want++
			}
		}
		golden.Equal(rt, Within(left, cut), want)
		golden.Equal(rt, Outside(list, others, cut), want)
	})
}

func TestOutside(t *testing.T) {
	list, cut := []Span{{0, 10}, {20, 30}, {40, 50}}, Span{5, 45}
	for _, c := range []struct {
		others []Span
		want   int64
	}{
		{nil, 5 + 10 + 5},
		{[]Span{{0, 50}}, 0},
		{[]Span{{8, 22}}, 3 + 8 + 5},
		{[]Span{{0, 6}, {22, 24}, {25, 26}, {30, 40}, {44, 60}}, 4 + 7 + 4},
	} {
		golden.Equal(t, Outside(list, c.others, cut), c.want, "outside of", c.others)
	}
}
