package locks

import (
	"testing"

	"pgregory.net/rapid"
)

// However many ids are added or joined, and in whatever order, each counts once.
func TestASetCountsEachIDOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, want := idSet{}, map[uint32]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "sets") {
			var one idSet
			for _, id := range rapid.SliceOfN(rapid.Uint32Range(0, 3*fewIDs), 0, 4*fewIDs).Draw(t, "ids") {
				one.add(id)
				want[id] = true
			}
			all.join(&one)
		}
		if all.len() != len(want) {
			t.Fatalf("%d ids, want %d", all.len(), len(want))
		}
	})
}
