package blame

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// deadlocked are two waits that end in two deadlocks, which are one leaf.
func deadlocked() []analysis.Slice {
	var list []analysis.Slice
	for i, thread := range []format.ThreadID{web1, web2} {
		s := handmade()[1]
		s.Waiters = []analysis.Waiter{{Thread: thread, Stack: flush, First: true}}
		s.Shares[0].Root = analysis.Owner{Kind: analysis.OwnerDeadlock, Cycle: int32(i + 1), Prov: analysis.Exact}
		list = append(list, s)
	}
	return list
}

func TestChainsSumBySignature(t *testing.T) {
	table := pivot(symbols(), append(handmade(), deadlocked()...), true, ByChain)
	golden.Same(t, lines(table), []line{
		{"web- -> Cache -> Cache.put -> Journal -> [deadlock]", 80, 40, 2},
		{"web- -> Cache -> Cache.put", 50, 50, 2},
		{"web- -> Cache -> Cache.put -> Journal -> Journal.flush", 40, 40, 0},
		{"web- -> Cache -> [unknown owner]", 40, 40, 0},
		{"web- -> Journal -> Journal.flush", 40, 40, 1},
	})
	for i, want := range []int{2, 1, 2, 1, 1} {
		_, hops := table.Chain(&table.Rows[i])
		golden.Equal(t, hops, want, table.Rows[i].Keys)
	}
}
