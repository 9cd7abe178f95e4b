package jfr

import (
	"strings"

	"contend/decode/threaddump"
	"contend/format"
)

// A method trace (JDK 25) with the filter LockSupport::unpark shows which thread released a
// lock, and where; with ::park it shows the parks of virtual threads, which are recorded
// nowhere else. A trace has no arguments, so neither identifies the lock. The frames of a
// park show its class. A release belongs to the wait it ended (unparks.go).

// traced reads a call of a method that the settings name: one of those above, or a
// synchronized one. It ignores others.
func traced(r *Reader, v *values, ev *format.Event) bool {
	found := *r.symbols.method(v[slotMethod]) // resolving stacks finds others
	m := &found
	switch {
	case m.synchronized:
		return r.section(m, v, ev)
	case m.class != threaddump.LockSupport:
	case m.method == "unpark":
		r.unpark(v, ev)
		return false
	case strings.HasPrefix(m.method, "park"):
		return r.virtualPark(m, v, ev)
	}
	return false
}

// section is a call of a synchronized method: the thread held the monitor during it,
// because the trace begins after the entry.
func (r *Reader) section(m *methodName, v *values, ev *format.Event) bool {
	ev.Kind = format.KindActivity
	ev.Activity = format.ActivityRun
	ev.Thread = r.symbols.thread(v[slotThread])
	ev.Stack = r.symbols.calledBy(m, r.symbols.stack(v[slotStack]))
	return ev.Thread != format.NoThread && ev.End > ev.Time
}

// calledBy returns the stack of a method called at another one. The JDK's
// traces begin with the caller, those of async-profiler with the method.
func (s *resolver) calledBy(m *methodName, caller format.StackID) format.StackID {
	frames := s.ids.frames[caller]
	if len(frames) > 0 && frames[0].Class == m.class && frames[0].Method == m.method {
		return caller
	}
	k := call{m.number, caller}
	id, ok := s.ids.calls[k]
	if !ok {
		id = s.internStack(append([]format.Frame{{Class: m.class, Method: m.method}}, frames...))
		s.ids.calls[k] = id
	}
	return id
}

// call is a method and the stack it was called with.
type call struct {
	method uint32
	caller format.StackID
}

// virtualPark delivers a park of a virtual thread. Parks of platform threads, and pinned
// ones, have their own events.
func (r *Reader) virtualPark(m *methodName, v *values, ev *format.Event) bool {
	ev.Thread = r.symbols.thread(v[slotThread])
	if l := r.symbols.ids.virtual.lives[ev.Thread]; l == nil || l.lastPark > ev.Time {
		return false
	}
	ev.Stack = r.symbols.calledBy(m, r.symbols.stack(v[slotStack]))
	class, home := threaddump.ParkedOn(r.symbols.ids.frames[ev.Stack])
	return r.parked(ev, r.symbols.intern(class), int64(r.symbols.intern(home)), virtualSpace, m.method != "park")
}

// entry is a synchronized method at whose entry a thread waited, with the class of the
// monitor.
type entry struct{ monitor, class, method string }

// reportEntry reports a method whose calls the recorder could trace to show the owner of
// the monitor. It looks at each stack once per chunk.
func (r *Reader) reportEntry(stack format.StackID, class uint32) {
	delete(r.symbols.ids.entries, stack)
	f := r.symbols.ids.frames[stack][0]
	e := entry{r.symbols.ids.classes.List[class], f.Class, f.Method}
	if _, known := r.symbols.ids.entered[e]; known {
		return
	}
	r.symbols.ids.entered[e] = struct{}{}
	r.symbols.queue.Push(
		format.Event{Kind: format.KindSetting, Name: format.SettingEntry + e.monitor, Value: e.class + "::" + e.method},
	)
}
