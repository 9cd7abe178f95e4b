package record

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// What a window holds does not grow with the trace, and what the last samples have stays.
func TestAWindowIsBounded(t *testing.T) {
	t.Parallel()
	var w Window
	for i := range 100_000 {
		at, thread, lock := int64(i+1)*5e8, format.ThreadID(i+1), format.ObjectID(i+1)
		for _, ev := range []format.Event{
			{Kind: format.KindThread, Thread: thread, Name: "t"},
			{Kind: format.KindObject, Object: lock, Class: "L", LockKind: format.KindMonitor},
			{Kind: format.KindSetting, Name: "sampling-period", Value: strconv.Itoa(i)},
			{Kind: format.KindTick, Time: at, Intended: at, Live: 1},
			{
				Kind:    format.KindContention,
				Time:    at,
				Object:  lock,
				Owners:  []format.Party{{}},
				Waiters: []format.Party{{Thread: thread}},
			},
		} {
			w.AddEvent(&ev)
		}
	}
	if w.bytes > mostKept || len(w.names) > 100_000 || len(w.last) > 20 || w.waiters > 10 {
		t.Errorf("%d bytes, %d names, %d events of %d waiters", w.bytes, len(w.names), len(w.last), w.waiters)
	}
	golden.Equal(t, w.Waiters(), w.waiters)
	for _, kind := range []format.Kind{format.KindThread, format.KindObject} {
		if !slices.ContainsFunc(w.Events(), func(ev format.Event) bool {
			return ev.Kind == kind && max(int(ev.Thread), int(ev.Object)) == 100_000
		}) {
			t.Errorf("the last sample has lost its %v", kind)
		}
	}
}

// What a window holds is bounded by what it takes, whatever a trace makes large, and also where
// no time passes in it.
func TestAWindowIsBoundedByBytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<16)
	for what, large := range map[string]format.Event{
		"names":   {Kind: format.KindThread, Thread: 1, Name: long, Group: long},
		"classes": {Kind: format.KindObject, Object: 1, Class: long},
		"values":  {Kind: format.KindSetting, Name: "a", Value: long},
		"frames":  {Kind: format.KindStack, Stack: 1, Frames: make([]format.Frame, 1<<10)},
		"methods": {Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: long, Method: long, File: long}}},
		"owners":  {Kind: format.KindContention, Time: 1, Object: 1, Owners: make([]format.Party, 1<<13)},
		"waiters": {Kind: format.KindContention, Time: 1, Object: 1, Waiters: make([]format.Party, 1<<13)},
	} {
		var w Window
		for range 3 * mostKept >> 16 {
			w.AddEvent(&large)
			total := 0
			for _, ev := range slices.Concat(w.names, w.last) {
				total += footprint(&ev)
			}
			if total != w.bytes || total > mostKept || total < 1<<15 {
				t.Fatalf("%s: %d bytes of events, counted as %d", what, total, w.bytes)
			}
		}
	}
	var w Window
	for i := range int64(9) { // the last of them takes it over the half
		w.AddEvent(&format.Event{Kind: format.KindSetting, Name: "period", Value: long[:i]})
		w.AddEvent(&format.Event{Kind: format.KindThread, Thread: 1, Name: strings.Repeat(long, 60)})
		w.AddEvent(&format.Event{Kind: format.KindTick, Time: i})
	}
	if len(w.names) != 1 || w.names[0].Value != long[:8] {
		t.Errorf("%d names stay", len(w.names))
	}
}
