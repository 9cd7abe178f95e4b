package analysis

import (
	"testing"

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
		if u.Len() != want {
			rt.Fatalf("%d, want %d", u.Len(), want)
		}
	})
}
