package locks

import (
	"fmt"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Locks that are told together have all the waiting, at each site and of each
// owner, that they have one by one.
func TestLocksToldTogetherSumToTheSame(t *testing.T) {
	const depth = 60
	c := NewOverview(Options{})
	list := &format.List{}
	for ev, from := (format.Event{}), chain(depth); from.Read(&ev) == nil; {
		if ev.Kind == format.KindObject {
			ev.Class = "Lock"
		}
		_ = list.Write(&ev)
	}
	golden.Must(analysis.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	one, heavy := c.Locks(), map[uint32]bool{}
	for _, l := range one[:7] {
		heavy[l.ID] = true
	}
	out, rest := c.Heaviest(heavy)
	if len(one) != depth || len(out) != 7 || len(rest) == 0 || len(rest) >= depth/2 {
		t.Fatalf("%d locks: %d one by one, the rest in %d", len(one), len(out), len(rest))
	}
	sums := func(locks []Lock) (ns, waits, owners int64, n int) {
		for _, l := range locks {
			ns, n = ns+l.WaitNs, n+max(len(l.Of), 1)
			for _, w := range l.Waiters {
				waits += w.Waits
			}
			for _, o := range l.Owners {
				owners += o.WaitNs
			}
		}
		return ns, waits, owners, n
	}
	ns, waits, owners, n := sums(one)
	if ns2, waits2, owners2, n2 := sums(append(out, rest...)); ns != ns2 || waits != waits2 || owners != owners2 || n != n2 {
		t.Errorf("%d ns of %d waits, owners %d ns, %d locks; together %d of %d, %d, %d", ns, waits, owners, n, ns2, waits2, owners2, n2)
	}
}

// Of more classes than are told, those of the most waiting are: the others are one sum.
func TestTooManyClassesAreOneSum(t *testing.T) {
	const more, heavy = 100, 50
	var list format.List
	for i := range heavy + maxGroups + more {
		id := format.ObjectID(i + 1)
		_ = list.Write(&format.Event{Kind: format.KindObject, Object: id, Class: fmt.Sprint("Lock", i)})
		_ = list.Write(&format.Event{Kind: format.KindWait, Thread: 1, Object: id, Time: 10_000 * int64(i), End: 10_000*int64(i) + int64(i) + 1})
	}
	c := NewOverview(Options{})
	golden.Must(analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	ids := map[uint32]bool{}
	for _, l := range c.Locks()[:heavy] {
		ids[l.ID] = true
	}
	out, rest := c.Heaviest(ids)
	last := rest[len(rest)-1]
	want := int64(more * (more + 1) / 2) // of the shortest
	if len(out) != heavy || len(rest) != maxGroups+1 || len(last.Of) != more || last.WaitNs != want || last.Owners != nil || last.Waiters != nil || rest[maxGroups-1].WaitNs != more+1 {
		t.Errorf("%d and %d; the last of %d locks, %d ns, want %d", len(out), len(rest), len(last.Of), last.WaitNs, want)
	}
}
