package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/pass"
	"contend/format"
	"contend/golden"
)

// crowded is a trace in which a lock is waited for half of the time, behind so
// many owners of another that their cells are not all kept.
func crowded(t *testing.T, others int) *Profile {
	t.Helper()
	p := &Profile{}
	stack := func(id int, method string) *format.Event {
		return &format.Event{
			Kind:   format.KindStack,
			Stack:  format.StackID(id),
			Frames: []format.Frame{{Class: "App", Method: method}},
		}
	}
	events := []*format.Event{
		stack(1, "late"),
		{Kind: format.KindObject, Object: 1, Class: "Late"},
		{Kind: format.KindObject, Object: 2, Class: "Early"},
	}
	for i := range others {
		events = append(events, stack(2+i, fmt.Sprintf("m%dx", i)))
	}
	p.Begin(analysis.NewSymbols(events...), 0)
	p.Running(0, 100e9, 200e9)
	charge := func(at, ns int64, lock, by int) {
		o := analysis.Owner{Thread: 1, Stack: format.StackID(by), Prov: analysis.Exact}
		p.Slice(&analysis.Slice{
			Start:   at,
			End:     at + ns,
			Lock:    format.ObjectID(lock),
			Waiters: []analysis.Waiter{{Thread: 2, Stack: format.StackID(by), First: true}},
			Shares:  []analysis.Share{{Ns: ns, Direct: o, Root: o, Hops: 1}},
		})
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
	golden.Equal(t, all.WaitNs, 51.5e9, "all", all)
	if o := (Group{many}).Owners(func(frame string) bool { return frame == "App.late" }); o.Pressure.WaitNs != 50e9 ||
		o.Pressure.Value != 0.25 {
		t.Errorf("owner %+v", o)
	}
	if s := many.sites.series; s[len(s)-1] != bootstrap.NoSeries {
		t.Fatal("all rows are kept")
	}
	late := func(class string) bool { return class == "Late" }
	rows := []Row{
		{Base: Group{few}.Locks(late), New: Group{many}.Locks(late)},
		{Base: Group{many}.Locks(late), New: Group{few}.Locks(late)},
	}
	golden.Equal(t, rows[0].New.Pressure.Value, 0.25, "late", rows[0].New)
	judge(rows, noCoarser, Options{Alpha: 0.05})
	golden.AtMost(t, len(found(rows)), 0, rows)
}

// Where the cells of a row were not kept nothing is drawn to say how it varies: a trace
// with many stacks has ten times as many such rows as others.
func TestNothingIsDrawnOfRowsWithoutCells(t *testing.T) {
	p := crowded(t, 1500)
	cells := p.finish()
	running, ns := runningTime(p)
	last := len(p.sites.names.List) - 1
	work := testing.AllocsPerRun(10, func() {
		row := p.sites.sum(p, []int{0, last})
		if e := p.estimate(&row, running, ns); row.cells != nil || !math.IsInf(e.SE, 1) ||
			e.Value != float64(row.ns)/float64(ns) {
			t.Errorf("%+v", e)
		}
	})
	golden.AtMost(t, work, 0, "allocations")
	if known := p.sites.sum(p, []int{0}); known.partial ||
		math.IsInf(p.estimate(&known, cells.Series(bootstrap.Running), ns).SE, 1) {
		t.Error("a row whose cells are kept is not drawn")
	}
}

// told is a row of so many threads waiting on each side, each known to a tenth.
func told(name string, base, new float64) Row {
	of := func(v float64) Rates {
		return Rates{Waiting: Rate{WaitNs: int64(v * 1e9), Value: v, Within: v / 10, DF: 100, Traces: 1}}
	}
	return Row{Name: name, Base: of(base), New: of(new)}
}

// Where one recording tells what owners called and the other only where they took
// the lock nothing has changed; what is more in all has.
func TestHowFinelyAnOwnerIsToldIsNoChange(t *testing.T) {
	for _, c := range []struct {
		what string
		rows []Row
		want []string
	}{
		{"dumps on one side", []Row{told("busy < checkout < run", 0, 0.9), told("checkout < run", 1, 0.1)}, nil},
		{
			"a few samples",
			[]Row{told("next < busy < checkout", 0, 0.01), told("busy < checkout", 0, 0.02), told("checkout", 1, 1.05)},
			nil,
		},
		{"sleeps are not told", []Row{told("sleep < export", 3, 0), told("export", 0.001, 2.9)}, nil},
		{
			"shorter, and told finely",
			[]Row{told("busy < checkout", 0, 0.1), told("checkout", 1, 0.1)},
			[]string{"checkout"},
		},
		{"longer inside", []Row{told("resize < put", 0, 5), told("put", 1, 1)}, []string{"resize"}},
		{
			"sleep became work, as both tell",
			[]Row{told("sleep < export", 3, 0), told("busy < export", 0, 3), told("export", 0.001, 0.001)},
			[]string{"busy", "sleep"},
		},
		{
			"others of that name",
			[]Row{told("busy < refund", 0, 1), told("checkout", 2, 1)},
			[]string{"busy", "checkout"},
		},
	} {
		var stacks []string // of owners; a chain of waits tells the innermost frame
		for i := range c.rows {
			stacks = append(stacks, c.rows[i].Name)
			c.rows[i].Name, _, _ = strings.Cut("w -> Lock -> "+c.rows[i].Name, callSeparator)
		}
		judge(c.rows, coarser{of: callersIn(stacks).ofChain}, Options{Alpha: 0.05})
		got := found(c.rows)
		for i, name := range got {
			got[i] = name[strings.LastIndex(name, " ")+1:]
		}
		slices.Sort(got)
		golden.Same(t, got, c.want, c.what)
	}
}

// What chains end in is told finely by the stacks of owners.
func TestChainsThatEndFurtherOut(t *testing.T) {
	of := callersIn([]string{"busy < checkout < run", "busy < refund < run", "[handoff]"}).ofChain
	for name, want := range map[string][]string{
		"w -> Lock -> busy":     {"w -> Lock -> checkout", "w -> Lock -> refund", "w -> Lock -> run"},
		"w -> Lock -> checkout": {"w -> Lock -> run"},
		"w -> Lock -> run":      nil, "w -> Lock -> [handoff]": nil, "busy": nil,
	} {
		got := of(name)
		slices.Sort(got)
		golden.Same(t, got, want, name)
	}
}

// pooled is the profile of ten seconds of eight threads that each wait for a
// lock, run and have nothing to do for so many milliseconds of every hundred.
func pooled(t *testing.T, wait, run int64) *Profile {
	t.Helper()
	const ms, every, end = int64(1e6), int64(100e6), int64(10e9)
	list := &format.List{}
	add := func(ev format.Event) {
		golden.OK(t, list.Write(&ev))
	}
	add(format.Event{Kind: format.KindRecording, Time: 0, End: end})
	add(format.Event{Kind: format.KindObject, Object: 1, Class: "app.Lock"})
	for id := range format.ThreadID(8) {
		add(format.Event{Kind: format.KindThread, Thread: id + 1, Name: "worker"})
		add(format.Event{Kind: format.KindThreadStart, Thread: id + 1, Time: 0})
		add(format.Event{Kind: format.KindThreadEnd, Thread: id + 1, Time: end})
		for at := int64(0); at < end; at += every {
			jitter := (at/every*7919 + int64(id)*104729) % 5 * ms
			add(format.Event{Kind: format.KindWait, Thread: id + 1, Object: 1, Time: at, End: at + wait*ms + jitter})
			add(
				format.Event{
					Kind:     format.KindActivity,
					Activity: format.ActivityPark,
					Thread:   id + 1,
					Time:     at + (wait+run)*ms + jitter,
					End:      at + every,
				},
			)
		}
	}
	p := &Profile{}
	tr := golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, p))(t)
	p.ElapsedNs = tr.ElapsedNs
	return p
}

// A fix that takes 65 % of the waiting away leaves threads with less to run, so
// that pressure falls by a quarter only. What it did is said of the waiting.
func TestAFixIsAsLargeAsWhatItTookAway(t *testing.T) {
	base, fixed := Group{pooled(t, 60, 10)}, Group{pooled(t, 20, 12)}
	d := Compare(base, fixed, Options{})
	relative, _ := d.Total.Relative()
	pressure := d.Total.New.Pressure.Value/d.Total.Base.Pressure.Value - 1
	if d.Total.Status != Changed || math.Abs(relative+0.645) > 0.01 || pressure < -0.3 || pressure > -0.2 {
		t.Errorf("%s: waiting changed by %.3f, pressure by %.3f", d.Total.Status, relative, pressure)
	}
	if on := d.Total.Base.Waiting.Value; math.Abs(on-8*0.62) > 0.01 {
		t.Errorf("%.3f threads waited on average", on)
	}
	// Twice the operations in the same time: each waits for half as long again.
	per := Compare(base, fixed, Options{Operations: [2]int64{1000, 2000}})
	golden.AtMost(t, math.Abs(per.Total.Base.Waiting.Value-float64(d.Total.Base.Waiting.WaitNs)/1000), 1)
	golden.AtMost(t, math.Abs(per.Total.New.Waiting.Value-float64(d.Total.New.Waiting.WaitNs)/2000), 1)
	if len(per.Locks) != 1 || per.Locks[0].Status != Changed {
		t.Errorf("%+v", per.Locks)
	}
}
