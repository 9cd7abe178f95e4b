package chains

import (
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/format"

	"github.com/google/go-cmp/cmp"
)

const (
	web1, web2, batch = format.ThreadID(1), format.ThreadID(2), format.ThreadID(3)
	cache, journal    = format.ObjectID(1), format.ObjectID(2)
	put, flush        = format.StackID(1), format.StackID(2)
)

// symbols names the same things under ids shifted by off, as another trace
// would.
func symbols(off uint32) *analysis.Symbols {
	thread := func(id format.ThreadID, name string) *format.Event {
		return &format.Event{Kind: format.KindThread, Thread: id + format.ThreadID(off), Name: name}
	}
	return analysis.NewSymbols(
		thread(web1, "web-1"), thread(web2, "web-2"), thread(batch, "batch"),
		&format.Event{Kind: format.KindObject, Object: cache + format.ObjectID(off), Class: "Cache"},
		&format.Event{Kind: format.KindObject, Object: journal + format.ObjectID(off), Class: "Journal"},
		&format.Event{Kind: format.KindStack, Stack: put + format.StackID(off), Frames: []format.Frame{{Class: "Cache", Method: "put"}}},
		&format.Event{Kind: format.KindStack, Stack: flush + format.StackID(off), Frames: []format.Frame{{Class: "Journal", Method: "flush"}}},
	)
}

// handmade: both web threads wait for the cache, whose owner waits for the
// journal half of the time; then one of two deadlocks.
func handmade(off uint32) []analysis.Slice {
	t, o, s := format.ThreadID(off), format.ObjectID(off), format.StackID(off)
	owner := func(id format.ThreadID, stack format.StackID) analysis.Owner {
		return analysis.Owner{Thread: id + t, Stack: stack + s, Prov: analysis.Likely(1)}
	}
	wait := func(from, to int64, id format.ThreadID, first bool, sh ...analysis.Share) analysis.Slice {
		return analysis.Slice{Start: from, End: to, Lock: cache + o, Waiters: []analysis.Waiter{{Thread: id + t, Stack: put + s, First: first}}, Shares: sh}
	}
	onward := func(ns int64, root analysis.Owner) analysis.Share {
		return analysis.Share{Ns: ns, Direct: owner(batch, put), Root: root, Hops: 2, Path: analysis.PathOf(analysis.Hop{Thread: batch + t, Stack: put + s, Lock: journal + o})}
	}
	stop := func(ns int64) analysis.Share {
		return analysis.Share{Ns: ns, Direct: owner(batch, put), Root: owner(batch, put), Hops: 1}
	}
	dead := func(cycle int32) analysis.Owner {
		return analysis.Owner{Kind: analysis.OwnerDeadlock, Cycle: cycle, Prov: analysis.Exact}
	}
	return []analysis.Slice{
		wait(0, 40, web1, true, stop(40)),
		wait(20, 50, web2, true, onward(30, owner(web2, flush))),
		wait(40, 60, web1, false, onward(20, owner(web2, flush))),
		wait(60, 70, web1, true, onward(10, dead(1))),
		wait(60, 80, web2, true, onward(20, dead(2))),
	}
}

func step(r Role, name string) Step { return Step{Role: r, Name: name} }

func collect(off uint32) *Table {
	c := New()
	c.Begin(symbols(off), 0)
	for _, s := range handmade(off) {
		c.Slice(&s)
	}
	return c.Table()
}

func TestChainsSumBySignature(t *testing.T) {
	var got []Chain
	table := collect(0)
	sum := int64(0)
	for _, c := range table.Chains {
		sum += c.ThreadNs
		got = append(got, c)
	}
	w, k, p, j := step(RoleWaiter, "web-"), step(RoleLock, "Cache"), step(RoleOwner, "Cache.put"), step(RoleLock, "Journal")
	inferred := func(ns int64) (k analysis.Known) { k.Add(analysis.Likely(1), ns); return k }
	exact := func(ns int64) (k analysis.Known) { k.Add(analysis.Exact, ns); return k }
	want := []Chain{
		{[]Step{w, k, p, j, step(RoleLeaf, "Journal.flush")}, 2, blame.Sum{Waits: 2, ThreadNs: 50, WallNs: 40, ByProvenance: inferred(50)}},
		{[]Step{w, k, step(RoleLeaf, "Cache.put")}, 1, blame.Sum{Waits: 1, ThreadNs: 40, WallNs: 40, ByProvenance: inferred(40)}},
		{[]Step{w, k, p, j, step(RoleLeaf, "[deadlock]")}, 2, blame.Sum{Waits: 2, ThreadNs: 30, WallNs: 20, ByProvenance: exact(30)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if sum != table.Total.ThreadNs || table.Total.ThreadNs != 120 || table.Total.Waits != 4 || table.Total.WallNs != 80 {
		t.Errorf("the chains sum to %d, the total is %+v", sum, table.Total)
	}
}

func TestIdsDoNotShowInSignatures(t *testing.T) {
	if diff := cmp.Diff(collect(0), collect(100)); diff != "" {
		t.Error(diff)
	}
}

func TestKnownChainsCostNoAllocation(t *testing.T) {
	c := New()
	c.Begin(symbols(0), 0)
	list := handmade(0)
	feed := func() {
		for i := range list {
			c.Slice(&list[i])
		}
	}
	feed()
	if n := testing.AllocsPerRun(100, feed); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
