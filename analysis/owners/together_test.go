package owners

import (
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
)

// However few waits they have, the locks of many small inputs are learnt of some at a
// time: whole inputs, and one alone however many locks it has.
func TestLocksLookedAtTogetherAreFew(t *testing.T) {
	const locks = 4 * fewLocks
	for _, perInput := range []int{7, fewLocks / 2, fewLocks + 1} {
		r, all := NewRecord(), make([]format.ObjectID, locks)
		for l := range all {
			all[l], r.inputOf = format.ObjectID(l), append(r.inputOf, uint32(l/perInput))
		}
		ev := &evidence{Activities: &Activities{Record: r, byLock: make([][]column.Ref, locks)}}
		if n := ev.together(all); n%perInput != 0 || n > max(fewLocks, perInput) || n <= fewLocks-perInput {
			t.Errorf("%d locks an input: %d are looked at together", perInput, n)
		}
	}
}
