package compare

import (
	"fmt"
	"math"
	"testing"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// crowded is a trace in which a lock is waited for half of the time, behind so
// many owners of another that their cells are not all kept.
func crowded(t *testing.T, others int) *Profile {
	t.Helper()
	p := &Profile{}
	stack := func(id int, method string) *format.Event {
		return &format.Event{Kind: format.KindStack, Stack: format.StackID(id), Frames: []format.Frame{{Class: "App", Method: method}}}
	}
	events := []*format.Event{stack(1, "late"), {Kind: format.KindObject, Object: 1, Class: "Late"}, {Kind: format.KindObject, Object: 2, Class: "Early"}}
	for i := range others {
		events = append(events, stack(2+i, fmt.Sprintf("m%dx", i)))
	}
	p.Begin(analysis.NewSymbols(events...), 0)
	p.Running(0, 100e9, 200e9)
	charge := func(at, ns int64, lock, by int) {
		o := analysis.Owner{Thread: 1, Stack: format.StackID(by), Prov: analysis.Exact}
		p.Slice(&analysis.Slice{Start: at, End: at + ns, Lock: format.ObjectID(lock), Waiters: []analysis.Waiter{{Thread: 2, Stack: format.StackID(by), First: true}},
			Shares: []analysis.Share{{Ns: ns, Direct: o, Root: o, Hops: 1}}})
	}
	for i := range others {
		charge(0, 1e6, 2, 2+i)
	}
	for at := int64(0); at < 100e9; at += 1e9 {
		charge(at, 0.5e9, 1, 1)
	}
	return p
}

// There is a limit to how many rows have their cells of time kept. What the
// others add up to counts all the same; only how much it varies is not known,
// so that none of them is said to have changed.
func TestRowsTooManyToBeKeptStillCount(t *testing.T) {
	few, many := crowded(t, 0), crowded(t, 1500)
	all := Group{many}.Locks(func(string) bool { return true }).Pressure
	if all.WaitNs != 51.5e9 {
		t.Errorf("all %+v", all)
	}
	if o := (Group{many}).Owners(func(frame string) bool { return frame == "App.late" }); o.Pressure.WaitNs != 50e9 || o.Pressure.Value != 0.25 {
		t.Errorf("owner %+v", o)
	}
	if s := many.sites.series; s[len(s)-1] != bootstrap.NoSeries {
		t.Fatal("all rows are kept")
	}
	late := func(class string) bool { return class == "Late" }
	rows := []Row{{Base: Group{few}.Locks(late), New: Group{many}.Locks(late)}, {Base: Group{many}.Locks(late), New: Group{few}.Locks(late)}}
	if rows[0].New.Pressure.Value != 0.25 {
		t.Errorf("late %+v", rows[0].New)
	}
	judge(rows, alone, Options{Alpha: 0.05})
	if got := found(rows); len(got) > 0 {
		t.Errorf("%+v", rows)
	}
}

// Where the cells of a row were not kept nothing is drawn to say how it varies: a trace
// with many stacks has ten times as many such rows as others.
func TestNothingIsDrawnOfRowsWithoutCells(t *testing.T) {
	p := crowded(t, 1500)
	cells := p.finish()
	running, ns := runningTime(p)
	last := len(p.sites.names) - 1
	work := testing.AllocsPerRun(10, func() {
		row := p.sites.sum(p, []int{0, last})
		if e := p.estimate(&row, running, ns); row.cells != nil || !math.IsInf(e.SE, 1) || e.Value != float64(row.ns)/float64(ns) {
			t.Errorf("%+v", e)
		}
	})
	if work > 0 {
		t.Errorf("%v allocations", work)
	}
	if known := p.sites.sum(p, []int{0}); known.partial || math.IsInf(p.estimate(&known, cells.Series(bootstrap.Running), ns).SE, 1) {
		t.Error("a row whose cells are kept is not drawn")
	}
}
