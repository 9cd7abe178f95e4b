package jfr

import (
	"maps"
	"strings"

	"contend/decode/rules"
	"contend/format"
)

// The slots for values of events and constants.
const (
	slotStart slot = iota
	slotDuration
	slotThread
	slotStack
	slotClass
	slotOwner
	slotAddress
	slotSubject // the thread an event is about, if another thread wrote it
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
	slotGroup
	slotTruncated
	slotFrames
	slotMethod
	slotLine
	slotBytecode
	slotPackage
	slotOperation
	slotModifiers
	slotTimedOut
	slotLoad
	slotState
	slotSafepoint
	slotFailed
	slots
)

// eventSpec lists the fields that are read of an event, and its handler.
type eventSpec struct {
	name   string
	fields map[string]slot
	book   func(r *Reader, v *values, ev *format.Event) bool // false: nothing to deliver
	needs  []string                                          // the fields that no version lacks
}

// prefixes are the prefixes of the names of events: of JDK 11 and later and its relatives, of JDK
// 9 and 10, and of async-profiler for events that the JDK does not have.
var prefixes = [...]string{"jdk.", "com.oracle.jdk.", "profiler."}

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
	sampled := map[string]slot{"sampledThread": slotSubject, "state": slotState}
	monitor := map[string]slot{
		"monitorClass":  slotClass,
		"previousOwner": slotOwner,
		"notifier":      slotOwner,
		"timedOut":      slotTimedOut,
		"address":       slotAddress,
	}
	file, socket := doing(format.ActivityFile), doing(format.ActivitySocket)
	list := []*eventSpec{
		{"JavaMonitorEnter", monitor, monitorEnter, []string{"duration", "eventThread", "monitorClass", "address"}},
		{"JavaMonitorWait", monitor, monitorWait, []string{"duration", "eventThread", "monitorClass", "address"}},
		{"JavaMonitorNotify", map[string]slot{"monitorClass": slotClass, "address": slotAddress}, monitorNotify, nil},
		{
			"ThreadPark",
			map[string]slot{
				"parkedClass": slotClass,
				"address":     slotAddress,
				"timeout":     slotTimeout,
				"until":       slotUntil,
			},
			park,
			[]string{"duration", "eventThread", "parkedClass", "address"},
		},
		{"ThreadSleep", map[string]slot{"time": slotTime}, sleep, nil},
		{"FileRead", nil, file, nil}, {"FileWrite", nil, file, nil}, {"FileForce", nil, file, nil},
		{"SocketRead", nil, socket, nil}, {"SocketWrite", nil, socket, nil},
		{"ExecutionSample", sampled, sample, nil},
		{"NativeMethodSample", sampled, sample, nil},
		{"WallClockSample", sampled, sample, nil},
		{"CPUTimeSample", map[string]slot{"failed": slotFailed}, cpuSample, nil},
		{"ThreadStart", subject("thread"), threadStart, nil},
		{"ThreadEnd", subject("thread"), threadEnd, nil},
		{"VirtualThreadStart", nil, virtualStart, nil},
		{"VirtualThreadEnd", nil, virtualEnd, nil},
		{
			"ActiveSetting",
			map[string]slot{"id": slotID, "name": slotName, "value": slotValue},
			setting,
			[]string{"id", "name", "value"},
		},
		{"CPULoad", map[string]slot{"machineTotal": slotLoad}, cpuLoad, nil},
		{"GCPhasePause", nil, pause, nil},
		{"MethodTrace", map[string]slot{"method": slotMethod}, traced, nil},
		{"ExecuteVMOperation", map[string]slot{"operation": slotOperation, "safepoint": slotSafepoint}, operation, nil},
		{"ThreadDump", map[string]slot{"result": slotText}, dump, nil},
	}
	m := make(map[string]*eventSpec, len(list))
	for _, s := range list {
		s.fields = maps.Clone(s.fields)
		if s.fields == nil {
			s.fields = map[string]slot{}
		}
		for name, slot := range map[string]slot{"startTime": slotStart, "duration": slotDuration,
			"eventThread": slotThread, "stackTrace": slotStack} {
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
	ev.Thread, ev.Stack = r.symbols.thread(v[slotThread]), r.symbols.stack(v[slotStack])
}

// sleep uses the requested duration in place of a stack that was not recorded, because it
// distinguishes places of the program, too.
func sleep(r *Reader, v *values, ev *format.Event) bool {
	r.activity(v, ev, format.ActivitySleep)
	r.evidence.dumpTimes.addWait(ev, 0, stateSleeps)
	if ev.Stack == format.NoStack {
		ev.Stack = r.symbols.sleepStack(r.symbols.timespan(v[slotTime], r.symbols.chunk.meta.units[slotTime]))
	}
	return true
}

func monitorEnter(r *Reader, v *values, ev *format.Event) bool {
	r.evidence.waitSeen = true
	ev.Kind = format.KindWait
	ev.Thread = r.symbols.thread(v[slotThread])
	ev.Stack = r.symbols.stack(v[slotStack])
	ev.Owner = r.symbols.thread(v[slotOwner])
	class := r.symbols.waitClass(v[slotClass])
	ev.Object = r.symbols.object(class, v[slotAddress], monitorSpace, format.KindMonitor, ev.Stack)
	r.evidence.dumpTimes.addWait(ev, class, stateEnters)
	if _, ok := r.symbols.ids.entries[ev.Stack]; ok {
		r.reportEntry(ev.Stack, class)
	}
	return true
}

func monitorWait(r *Reader, v *values, ev *format.Event) bool {
	class, stack := r.symbols.waitClass(v[slotClass]), r.symbols.stack(v[slotStack])
	if initialises(r.symbols.ids.classes.List[class], r.symbols.ids.frames[stack]) {
		return monitorEnter(r, v, ev) // the notifier is the thread that initialised the class
	}
	r.activity(v, ev, format.ActivityWait)
	ev.Object = r.symbols.object(class, v[slotAddress], monitorSpace, format.KindMonitor, ev.Stack)
	r.evidence.dumpTimes.addWait(ev, class, stateWaits)
	res := r.symbols.classify(class, ev.Stack)
	ev.Resource = res.Verdict == rules.Resource
	if v[slotTimedOut] == 0 {
		ev.Owner = r.symbols.thread(v[slotOwner])
	}
	return true
}

// monitorNotify is a call of Object.notify or notifyAll, recorded from JDK 24 on: the
// thread held the monitor during the call.
func monitorNotify(r *Reader, v *values, ev *format.Event) bool {
	r.activity(v, ev, format.ActivityRun)
	class := r.symbols.waitClass(v[slotClass])
	ev.Object = r.symbols.object(class, v[slotAddress], monitorSpace, format.KindMonitor, ev.Stack)
	ev.End = max(ev.End, ev.Time+1)
	return true
}

func park(r *Reader, v *values, ev *format.Event) bool {
	r.evidence.waitSeen = true
	ev.Thread, ev.Stack = r.symbols.thread(v[slotThread]), r.symbols.stack(v[slotStack])
	if l := r.symbols.ids.virtual.lives[ev.Thread]; l != nil {
		l.lastPark = max(l.lastPark, ev.End)
	}
	return r.parked(ev, r.symbols.waitClass(v[slotClass]), v[slotAddress], heapSpace, r.timedOut(v, ev))
}

// parked delivers a park: by the rules, a wait for a lock, idle time, or unclassified. A
// park that may have timed out did, unless a release ended it; if the recording has
// releases, the park is delivered with them at the end of the chunk.
func (r *Reader) parked(ev *format.Event, class uint32, address int64, in space, late bool) bool {
	res := r.symbols.classify(class, ev.Stack)
	ev.Object = r.symbols.object(class, address, in, res.Kind, ev.Stack)
	r.evidence.dumpTimes.addWait(ev, class, stateParks)
	if res.Verdict != rules.Lock {
		ev.Kind, ev.Resource = format.KindActivity, res.Verdict == rules.Resource
		if res.Verdict != rules.Unknown {
			ev.Activity = format.ActivityPark
		}
		return true
	}
	ev.Kind = format.KindWait
	ev.Mode = res.Mode
	ev.Failed = late
	if !r.symbols.chunk.meta.tracing {
		return true
	}
	r.park(ev, class)
	if late {
		r.inspect(ev)
	}
	return !late
}

// timedOut reports whether a park lasted as long as its timeout, so that the thread did not
// get the lock. A timeout that is not positive means none, in any version.
func (r *Reader) timedOut(v *values, ev *format.Event) bool {
	symbols := &r.symbols
	limit := v[slotTimeout]
	if limit > 0 && ev.End-ev.Time >= symbols.timespan(limit, symbols.chunk.meta.units[slotTimeout]) {
		return true
	}
	until := v[slotUntil] // milliseconds since the epoch
	return until > 0 && ev.End >= format.Times(until, 1e6)
}

func threadStart(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind, ev.Thread = format.KindThreadStart, r.symbols.lifeOf(v[slotSubject])
	r.symbols.ids.virtual.jvm.first = r.symbols.ids.virtual.jvm.first || r.symbols.ids.called[ev.Thread] == firstVirtual
	return ev.Thread != format.NoThread
}

func threadEnd(r *Reader, v *values, ev *format.Event) bool {
	ev.Kind, ev.Thread = format.KindThreadEnd, r.symbols.lifeOf(v[slotSubject])
	return ev.Thread != format.NoThread
}

// sample is the stack of a thread at an instant. The thread ran, unless the sample says
// otherwise: async-profiler samples waiting threads, too.
func sample(r *Reader, v *values, ev *format.Event) bool {
	ev.Thread = r.symbols.thread(v[slotSubject])
	return r.sampled(ev, v)
}

// cpuSample is a sample that a thread took of itself (JDK 25).
func cpuSample(r *Reader, v *values, ev *format.Event) bool {
	ev.Thread = r.symbols.thread(v[slotThread])
	return v[slotFailed] == 0 && r.sampled(ev, v)
}

func (r *Reader) sampled(ev *format.Event, v *values) bool {
	ev.Kind = format.KindActivity
	ev.Activity = format.ActivityRun
	ev.End = ev.Time
	if v[slotState] != 0 && !r.symbols.runs(v[slotState]) {
		ev.Activity = format.ActivitySeen
	}
	ev.Stack = r.symbols.stack(v[slotStack])
	return ev.Thread != format.NoThread
}

// runs reports whether a thread state, which is a constant, is a running one. A constant
// that is missing in the chunk counts as running.
func (s *resolver) runs(key int64) bool {
	name := s.label(s.chunk.meta.parts.state, key)
	return name == "" || name == "STATE_DEFAULT" || strings.HasSuffix(name, "RUNNABLE")
}

func dump(r *Reader, v *values, ev *format.Event) bool {
	r.threadDump(ev.Time, r.symbols.text(v[slotText]))
	return false
}

// operation notes when the VM took a dump, and delivers the interval in which it
// stopped all threads. The operation is a constant.
func operation(r *Reader, v *values, ev *format.Event) bool {
	name := r.symbols.label(r.symbols.chunk.meta.parts.operation, v[slotOperation])
	switch name {
	case "PrintThreads", "ThreadDump":
		r.evidence.dumpTimes.operations.list = append(r.evidence.dumpTimes.operations.list, ev.Time)
		if r.evidence.agent.follows {
			r.evidence.agent.stops = append(r.evidence.agent.stops, ev.Time)
		}
	}
	ev.Kind, ev.Name = format.KindPause, "safepoint "+name
	return v[slotSafepoint] != 0 && ev.End > ev.Time
}

// label returns the name of a constant that has only a name; "" if it is missing.
func (s *resolver) label(p *program, key int64) string {
	at := labelled{p, key}
	name, ok := s.known.labels[at]
	if !ok {
		var v values
		if s.constant(p, key, &v) {
			name = s.text(v[slotName])
			s.misspelled(name)
		}
		s.known.labels[at] = name
	}
	return name
}

// pause is one of a garbage collector.
func pause(r *Reader, _ *values, ev *format.Event) bool {
	ev.Kind, ev.Name = format.KindPause, format.PauseGC
	return ev.End > ev.Time
}
