package blame

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

const (
	chainWeb1, chainWeb2, chainBatch = format.ThreadID(1), format.ThreadID(2), format.ThreadID(3)
	chainCache, chainJournal         = format.ObjectID(1), format.ObjectID(2)
	chainPut, chainFlush             = format.StackID(1), format.StackID(2)
)

// symbols names the same things under ids shifted by off, as another trace
// would.
func chainSymbols(off uint32) *analysis.Symbols {
	thread := func(id format.ThreadID, name string) *format.Event {
		return &format.Event{Kind: format.KindThread, Thread: id + format.ThreadID(off), Name: name}
	}
	return analysis.NewSymbols(
		thread(chainWeb1, "web-1"), thread(chainWeb2, "web-2"), thread(chainBatch, "batch"),
		&format.Event{Kind: format.KindObject, Object: chainCache + format.ObjectID(off), Class: "Cache"},
		&format.Event{Kind: format.KindObject, Object: chainJournal + format.ObjectID(off), Class: "Journal"},
		&format.Event{Kind: format.KindStack, Stack: chainPut + format.StackID(off), Frames: []format.Frame{{Class: "Cache", Method: "put"}}},
		&format.Event{Kind: format.KindStack, Stack: chainFlush + format.StackID(off), Frames: []format.Frame{{Class: "Journal", Method: "flush"}}},
	)
}

// someChains: both web threads wait for the chainCache, whose owner waits for the
// chainJournal half of the time; then one of two deadlocks.
func someChains(off uint32) []analysis.Slice {
	t, o, s := format.ThreadID(off), format.ObjectID(off), format.StackID(off)
	owner := func(id format.ThreadID, stack format.StackID) analysis.Owner {
		return analysis.Owner{Thread: id + t, Stack: stack + s, Prov: analysis.Likely(1)}
	}
	wait := func(from, to int64, id format.ThreadID, first bool, sh ...analysis.Share) analysis.Slice {
		return analysis.Slice{Start: from, End: to, Lock: chainCache + o, Waiters: []analysis.Waiter{{Thread: id + t, Stack: chainPut + s, First: first}}, Shares: sh}
	}
	onward := func(ns int64, root analysis.Owner) analysis.Share {
		return analysis.Share{Ns: ns, Direct: owner(chainBatch, chainPut), Root: root, Hops: 2, Path: analysis.PathOf(analysis.Hop{Thread: chainBatch + t, Stack: chainPut + s, Lock: chainJournal + o})}
	}
	stop := func(ns int64) analysis.Share {
		return analysis.Share{Ns: ns, Direct: owner(chainBatch, chainPut), Root: owner(chainBatch, chainPut), Hops: 1}
	}
	dead := func(cycle int32) analysis.Owner {
		return analysis.Owner{Kind: analysis.OwnerDeadlock, Cycle: cycle, Prov: analysis.Exact}
	}
	return []analysis.Slice{
		wait(0, 40, chainWeb1, true, stop(40)),
		wait(20, 50, chainWeb2, true, onward(30, owner(chainWeb2, chainFlush))),
		wait(40, 60, chainWeb1, false, onward(20, owner(chainWeb2, chainFlush))),
		wait(60, 70, chainWeb1, true, onward(10, dead(1))),
		wait(60, 80, chainWeb2, true, onward(20, dead(2))),
	}
}

// someChain is one row by chain.
type someChain struct {
	Signature string
	Hops      int
	Sum
}

func collect(off uint32) (rows []someChain, total Sum) {
	c := NewChains()
	c.Begin(chainSymbols(off), 0)
	for _, s := range someChains(off) {
		c.Slice(&s)
	}
	table := c.Table()
	for i := range table.Rows {
		_, hops := table.Chain(&table.Rows[i])
		rows = append(rows, someChain{table.Rows[i].Keys[0], hops, table.Rows[i].Sum})
	}
	return rows, table.Total
}

func TestChainsSumBySignature(t *testing.T) {
	got, total := collect(0)
	sum := int64(0)
	for _, c := range got {
		sum += c.ThreadNs
	}
	inferred := func(ns int64) (k analysis.Known) { k.Add(analysis.Likely(1), ns); return k }
	exact := func(ns int64) (k analysis.Known) { k.Add(analysis.Exact, ns); return k }
	want := []someChain{
		{"web- -> Cache -> Cache.put -> Journal -> Journal.flush", 2, Sum{Waits: 2, ThreadNs: 50, WallNs: 40, ByProvenance: inferred(50)}},
		{"web- -> Cache -> Cache.put", 1, Sum{Waits: 1, ThreadNs: 40, WallNs: 40, ByProvenance: inferred(40)}},
		{"web- -> Cache -> Cache.put -> Journal -> [deadlock]", 2, Sum{Waits: 2, ThreadNs: 30, WallNs: 20, ByProvenance: exact(30)}},
	}
	golden.Same(t, got, want)
	if sum != total.ThreadNs || total.ThreadNs != 120 || total.Waits != 4 || total.WallNs != 80 {
		t.Errorf("the chains sum to %d, the total is %+v", sum, total)
	}
}

func TestIdsDoNotShowInSignatures(t *testing.T) {
	here, _ := collect(0)
	there, _ := collect(100)
	golden.Same(t, there, here)
}

func TestKnownChainsCostNoAllocation(t *testing.T) {
	c := NewChains()
	c.Begin(chainSymbols(0), 0)
	list := someChains(0)
	feed := func() {
		for i := range list {
			c.Slice(&list[i])
		}
	}
	feed()
	golden.AtMost(t, testing.AllocsPerRun(100, feed), 0, "allocations")
}
