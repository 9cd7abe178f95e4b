package whatif

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Threads that hold one lock at a time cannot deadlock, though the end of a hold may lie in the next
// wait; threads that acquire two locks in both orders can.
func TestOnlyNestedHoldsDeadlock(t *testing.T) {
	for _, c := range []struct {
		name string
		ends [2]int64 // of the first holds, around waits over [90, 110)
		want bool
	}{
		{"one lock at a time", [2]int64{90, 90}, false},
		{"ends within the wait", [2]int64{100, 105}, false},
		{"one order", [2]int64{200, 90}, false},
		{"both orders", [2]int64{200, 200}, true},
	} {
		for _, rebuilt := range []bool{false, true} {
			w := New()
			w.Begin(analysis.NewSymbols(), 0)
			for i, end := range c.ends {
				thread, first, second := format.ThreadID(i+1), format.ObjectID(i+1), format.ObjectID(2-i)
				w.Held(&analysis.Hold{Thread: thread, Lock: first, End: end, Rebuilt: rebuilt})
				w.Held(&analysis.Hold{Thread: thread, Lock: second, Asked: 90, Start: 110, End: 150})
			}
			w.end = 200
			w.rebuilt = false // orders alone: a settled hold is a guess, whatever its order
			w.numberThreads()
			w.rebuilt = rebuilt
			golden.Equal(t, w.mayDeadlock(), c.want && !rebuilt, c.name, rebuilt)
		}
	}
}

// A longer circle of orders is one, too; a chain is none.
func TestCircularOrders(t *testing.T) {
	chain := map[nesting]bool{{1, 2}: true, {2, 3}: true, {1, 3}: true, {3, 4}: true}
	golden.Equal(t, circular(chain), false, "chain")
	chain[nesting{4, 2}] = true
	golden.Equal(t, circular(chain), true, "circle")
}
