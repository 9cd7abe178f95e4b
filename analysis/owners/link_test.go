package owners

import (
	"testing"

	"contend/format"
)

// A thread waits in a dump and in the recording if its wait ended shortly before the
// dump was written, 15 ms but not 30, or goes on, however long.
func TestWhoWaitsInADump(t *testing.T) {
	const ms = int64(1e6)
	for name, c := range map[string]struct {
		start, end int64
		waits      bool
	}{
		"still":           {-5 * ms, 5 * ms, true},
		"since two hours": {-7200e3 * ms, 5 * ms, true},
		"just before":     {-100 * ms, -15 * ms, true},
		"long before":     {-100 * ms, -30 * ms, false},
	} {
		r := NewRecord()
		const at = int64(1e16)
		r.Add(&format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Stack: 2, Time: at + c.start, End: at + c.end}, at+c.end)
		ev := &evidence{Activities: r.Arrange(monitors{}.Kind)}
		d, ok := ev.waiting(1, at, func(l format.ObjectID) bool { return l == 1 })
		if ok != c.waits || ok && d.lock != 1 {
			t.Errorf("%s: %v, %+v", name, ok, d)
		}
	}
}

// An owner that waits when a dump shows it has been given the lock, where it stands as
// it waits: nobody has it yet. Else it owned the lock just after or before that wait, 15
// ms but not 30.
func TestAnOwnerThatWaits(t *testing.T) {
	const ms = int64(1e6)
	const waits, waitsDeeper, section = 1, 2, 3
	at := format.Frame{Class: "C", Method: "enter", Line: 7}
	sym := stacked{stacks: [][]format.Frame{waits: {at}, waitsDeeper: {at, {Class: "C", Method: "main"}}, section: {{Class: "C", Method: "work"}, at}}}
	for name, c := range map[string]struct {
		at, end int64
		stack   format.StackID
		want    sample
	}{
		"has been given it":          {8, 10, waits, sample{time: 8 * ms}},
		"outer frames are missing":   {8, 10, waitsDeeper, sample{time: 8 * ms}},
		"no stack is known":          {8, 10, format.NoStack, sample{time: 8 * ms}},
		"has gone on":                {8, 10, section, sample{10 * ms, 2, section}},
		"had not come yet":           {1, 10, section, sample{-1, 2, section}},
		"has gone on later":          {85, 100, section, sample{100 * ms, 2, section}},
		"is said to be in both ways": {50, 80, section, sample{time: 50 * ms}},
		"does not wait":              {11, 10, section, sample{11 * ms, 2, section}},
	} {
		r := NewRecord()
		r.Add(&format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Stack: waits, Time: 0, End: c.end * ms}, c.end*ms)
		r.Add(&format.Event{Kind: format.KindWait, Thread: 3, Object: 1, Stack: waits, Time: -5 * ms, End: 200 * ms}, 200*ms)
		r.Add(&format.Event{Kind: format.KindContention, Object: 1, Time: c.at * ms, Owners: []format.Party{{Thread: 2, Stack: c.stack}}, Waiters: []format.Party{{Thread: 3}}}, c.at*ms)
		a := r.Arrange(monitors{}.Kind)
		ev := &evidence{Activities: a, sym: sym, shown: make([][]sample, len(a.byLock))}
		ev.link(monitors{}.Class)
		if got := ev.shown[1]; len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
