package jfr

import (
	"maps"
	"strings"

	"contend/format"
)

// The slots: what is taken from events and constants.
const (
	slotStart slot = iota
	slotDuration
	slotThread
	slotStack
	slotClass
	slotOwner
	slotAddress
	slotSubject // the thread an event is about, when it is not the one that wrote it
	slotID
	slotName
	slotValue
	slotText
	slotTime
	slotTimeout
	slotUntil
	slotOSName
	slotOSID
	slotVirtual
	slotTruncated
	slotFrames
	slotMethod
	slotLine
	slotOperation
	slotModifiers
	slots
)

// eventSpec says which fields of an event are read and what becomes of it.
type eventSpec struct {
	name   string
	fields map[string]slot
	book   func(r *Reader, v *values, ev *format.Event) bool // false: nothing to deliver
}

// prefixes are what precedes the names above: JDK 11 and later and its
// relatives, and JDK 9 and 10.
var prefixes = [...]string{"jdk.", "com.oracle.jdk."}

// eventName strips the prefix; "" for a class that is no JDK event.
func eventName(class string) string {
	for _, p := range prefixes {
		if name, ok := strings.CutPrefix(class, p); ok {
			return name
		}
	}
	return ""
}

// wanted returns the events this package reads, by name without the vendor's
// prefix; all others are skipped by their size.
func wanted() map[string]*eventSpec {
	subject := func(name string) map[string]slot { return map[string]slot{name: slotSubject} }
	monitor := map[string]slot{"monitorClass": slotClass, "previousOwner": slotOwner, "address": slotAddress}
	io := doing(format.ActivityIO)
	list := []*eventSpec{
		{"JavaMonitorEnter", monitor, monitorEnter},
		{"JavaMonitorWait", monitor, monitorWait},
		{"ThreadPark", map[string]slot{"parkedClass": slotClass, "address": slotAddress, "timeout": slotTimeout, "until": slotUntil}, park},
		{"ThreadSleep", map[string]slot{"time": slotTime}, sleep},
		{"FileRead", nil, io}, {"FileWrite", nil, io}, {"FileForce", nil, io},
		{"SocketRead", nil, io}, {"SocketWrite", nil, io},
		{"ExecutionSample", subject("sampledThread"), sample},
		{"NativeMethodSample", subject("sampledThread"), sample},
		{"ThreadStart", subject("thread"), threadStart},
		{"ThreadEnd", subject("thread"), threadEnd},
		{"ActiveSetting", map[string]slot{"id": slotID, "name": slotName, "value": slotValue}, setting},
		{"MethodTrace", map[string]slot{"method": slotMethod}, traced},
		{"ExecuteVMOperation", map[string]slot{"operation": slotOperation}, operation},
		{"ThreadDump", map[string]slot{"result": slotText}, dump},
	}
	m := make(map[string]*eventSpec, len(list))
	for _, s := range list {
		s.fields = maps.Clone(s.fields)
		if s.fields == nil {
			s.fields = map[string]slot{}
		}
		for name, slot := range map[string]slot{"startTime": slotStart, "duration": slotDuration, "eventThread": slotThread, "stackTrace": slotStack} {
			s.fields[name] = slot
		}
		m[s.name] = s
	}
	return m
}

func doing(what format.Activity) func(*Reader, *values, *format.Event) bool {
	return func(r *Reader, v *values, ev *format.Event) bool {
		r.activity(v, ev, what)
		return true
	}
}

func (r *Reader) activity(v *values, ev *format.Event, what format.Activity) {
	ev.Kind, ev.Activity = format.KindActivity, what
	ev.Thread, ev.Stack = r.thread(v[slotThread]), r.stack(v[slotStack])
}

// sleep keeps how long the thread meant to sleep where the recorder took no
// stack: that too tells one place of the program from another.
func sleep(r *Reader, v *values, ev *format.Event) bool {
	r.activity(v, ev, format.ActivitySleep)
	r.dated.note(ev, 0, stateSleeps)
	if ev.Stack == format.NoStack {
		ev.Stack = r.sleepStack(r.timespan(v[slotTime], r.meta.units[slotTime]))
	}
	return true
}

func monitorEnter(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind = format.KindWait
	ev.Thread, ev.Stack, ev.Owner = r.thread(v[slotThread]), r.stack(v[slotStack]), r.thread(v[slotOwner])
	class := r.class(v[slotClass])
	ev.Object = r.object(class, v[slotAddress], monitorSpace, format.KindMonitor, ev.Stack)
	r.dated.note(ev, class, stateEnters)
	if _, ok := r.ids.entries[ev.Stack]; ok {
		r.tellEntry(ev.Stack, class)
	}
	return true
}

func monitorWait(r *Reader, v *values, ev *format.Event) bool {
	r.activity(v, ev, format.ActivityWait)
	class := r.class(v[slotClass])
	ev.Object = r.object(class, v[slotAddress], monitorSpace, format.KindMonitor, ev.Stack)
	r.dated.note(ev, class, stateWaits)
	return true
}

func park(r *Reader, v *values, ev *format.Event) bool {
	ev.Thread, ev.Stack = r.thread(v[slotThread]), r.stack(v[slotStack])
	if last, virtual := r.ids.virtual[ev.Thread]; virtual {
		r.ids.virtual[ev.Thread] = max(last, ev.End)
	}
	return r.parked(ev, r.class(v[slotClass]), v[slotAddress], heapSpace, r.timedOut(v, ev))
}

// parked delivers a park: a wait for a lock, idle time, or unclear. The rules
// decide.
func (r *Reader) parked(ev *format.Event, class uint32, address int64, in space, failed bool) bool {
	res := r.classify(class, ev.Stack)
	ev.Object = r.object(class, address, in, res.Kind, ev.Stack)
	r.dated.note(ev, class, stateParks)
	if res.Verdict == rulesLock {
		ev.Kind, ev.Mode, ev.Failed = format.KindWait, res.Mode, failed
		if r.meta.tracing && !failed {
			r.park(ev, class)
		}
		return true
	}
	ev.Kind, ev.Activity = format.KindActivity, res.activity
	return true
}

// timedOut reports whether a park lasted as long as it was meant to at most:
// who tried for a lock that long did not get it. What is not above zero is no
// limit, in any version.
func (r *Reader) timedOut(v *values, ev *format.Event) bool {
	if limit := v[slotTimeout]; limit > 0 && ev.End-ev.Time >= r.timespan(limit, r.meta.units[slotTimeout]) {
		return true
	}
	until := v[slotUntil] // milliseconds since the epoch
	return until > 0 && ev.End >= times(until, 1e6)
}

func threadStart(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind, ev.Thread = format.KindThreadStart, r.thread(v[slotSubject])
	return ev.Thread != format.NoThread
}

func threadEnd(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind, ev.Thread = format.KindThreadEnd, r.thread(v[slotSubject])
	return ev.Thread != format.NoThread
}

func sample(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind, ev.Activity, ev.End = format.KindActivity, format.ActivityRun, ev.Time
	ev.Thread, ev.Stack = r.thread(v[slotSubject]), r.stack(v[slotStack])
	return ev.Thread != format.NoThread
}

func dump(r *Reader, v *values, ev *format.Event) bool {
	r.threadDump(ev.Time, r.text(v[slotText]))
	return false
}

// operation notes when the VM took a dump. Which one it carries out is a
// constant.
func operation(r *Reader, v *values, ev *format.Event) bool {
	var name values
	if r.constant(r.meta.parts.operation, v[slotOperation], &name) {
		switch r.text(name[slotName]) {
		case "PrintThreads", "ThreadDump":
			r.dated.operations.list = append(r.dated.operations.list, ev.Time)
		}
	}
	return false
}
