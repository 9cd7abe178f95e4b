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
