package analysis

import (
	"slices"
	"testing"

	"contend/analysis/owners"
	"contend/format"

	"pgregory.net/rapid"
)

// Owners of a lock stay in order of thread through any changes; those of one thread are in
// reverse order of arrival.
func TestOwnersComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph{owners: make([][]owners.Holder, 1)}
		var want []owners.Holder
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			h := owners.Holder{Thread: format.ThreadID(rapid.IntRange(0, 4).Draw(t, "thread")), Stack: format.StackID(rapid.IntRange(1, 3).Draw(t, "stack"))}
			if at := slices.Index(want, h); at >= 0 && rapid.Bool().Draw(t, "goes") {
				g.disown(0, h)
				want = slices.Delete(want, at, at+1)
			} else {
				g.own(0, h)
				at, _ := slices.BinarySearchFunc(want, h.Thread, func(a owners.Holder, t format.ThreadID) int { return int(a.Thread) - int(t) })
				want = slices.Insert(want, at, h)
			}
			if !slices.Equal(g.owners[0], want) {
				t.Fatalf("%v, want %v", g.owners[0], want)
			}
		}
	})
}
