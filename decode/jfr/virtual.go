package jfr

import (
	"strings"
	"time"

	"contend/decode/threaddump"
	"contend/format"
	"contend/format/human"
)

// A recording shows little of virtual threads: since JDK 24 no monitor waits, and no parks
// in any version; a method trace (traced.go) shows the parks alone. Thread dumps do not
// list them. If each start is recorded since the first virtual thread of the JVM, their
// lifetimes bound the unobserved waits; else there is no bound.

// virtuals are the virtual threads of an input. Sums are of nanoseconds since the
// input began; a million long lives do not fit into an integer.
type virtuals struct {
	lives   map[format.ThreadID]*virtualLife
	since   int64   // start of the input, ns
	lived   float64 // recorded ends less recorded starts, both in ns after since
	open    int     // lives without an end
	covered float64 // ns of their lifetimes that events cover
	jvm     ofJVM

	inSamples   bool  // samples show the waiting ones
	sampled     int   // that do
	lastSampled int64 // time of the last

	before    bool // an earlier JVM had some
	uncounted bool // and their starts are not all recorded
}

// ofJVM is the state of the virtual threads of the current JVM.
type ofJVM struct {
	ran      bool // there were some
	first    bool // the helper threads of its first virtual thread are recorded
	unlisted bool // starts were not recorded at some time
	traced   bool // the settings trace parks
	started  int
	seen     int
}

// virtualLife is the recorded life of a virtual thread, in ns.
type virtualLife struct {
	lastPark     int64 // when the last park ended that has its own event
	coveredUntil int64 // instant up to which its events cover it
}

// addThread adds a virtual thread, unless it is known.
func (v *virtuals) addThread(t format.ThreadID) {
	if v.lives[t] == nil {
		v.lives[t] = &virtualLife{lastPark: format.NoTime, coveredUntil: format.NoTime}
		v.jvm.seen++
		v.jvm.ran = true
	}
}

// sample takes the time of a sample that shows waiting virtual threads.
func (v *virtuals) sample(at int64) {
	if at != v.lastSampled {
		v.sampled++
	}
	v.jvm.ran, v.lastSampled = true, at
}

// observe takes an event of a thread, virtual or not.
func (v *virtuals) observe(ev *format.Event) {
	l := v.lives[ev.Thread]
	if l == nil {
		return
	}
	v.covered += float64(ev.End) - float64(max(min(l.coveredUntil, ev.End), ev.Time))
	l.coveredUntil = max(l.coveredUntil, ev.End)
}

// unobserved returns how long the threads may have waited unobserved up to an instant, ns;
// bounded is false if their number is not known.
func (v *virtuals) unobserved(until int64) (ns int64, bounded bool) {
	lived := v.lived + float64(v.open)*(float64(until)-float64(v.since))
	return int64(min(max(lived-v.covered, 0), 1<<62)), !v.uncounted && v.jvm.counted()
}

// counted reports whether the start of each virtual thread of the current JVM is recorded.
func (o *ofJVM) counted() bool {
	return !o.ran || o.first && !o.unlisted && o.started == o.seen
}

// any reports whether there were virtual threads.
func (v *virtuals) any() bool { return v.jvm.ran || v.before }

// next ends the current JVM at an instant.
func (v *virtuals) next(at int64) {
	v.before, v.uncounted = v.any(), v.uncounted || !v.jvm.counted()
	v.lived += float64(v.open) * (float64(at) - float64(v.since))
	v.open, v.jvm = 0, ofJVM{}
}

// virtualStart takes the start of a virtual thread.
func virtualStart(r *Reader, v *values, ev *format.Event) bool {
	r.symbols.lifeOf(v[slotThread])
	all := &r.symbols.ids.virtual
	all.jvm.started, all.open = all.jvm.started+1, all.open+1
	all.lived -= float64(ev.Time) - float64(all.since)
	return false
}

// virtualEnd takes the end of a virtual thread that started in the recording, or before it.
func virtualEnd(r *Reader, v *values, ev *format.Event) bool {
	r.symbols.lifeOf(v[slotThread])
	all := &r.symbols.ids.virtual
	all.open--
	all.lived += float64(ev.Time) - float64(all.since)
	return false
}

// virtualSetting takes a setting of events of virtual threads.
func (r *Reader) virtualSetting(event, name, value string) {
	switch {
	case event == "VirtualThreadStart" && name == "enabled":
		r.symbols.ids.virtual.jvm.unlisted = r.symbols.ids.virtual.jvm.unlisted || value != "true"
	case event == "MethodTrace" && name == "filter":
		r.symbols.ids.virtual.jvm.traced = strings.Contains(value, threaddump.LockSupport+"::park")
	}
}

// firstVirtual begins the names of the threads that a JVM starts for its first
// virtual thread: from JDK 24 on the unblocker, once. Its unparker begins later.
const (
	servesVirtual = "VirtualThread-"
	firstVirtual  = servesVirtual + "unblocker"
	carriers      = "CarrierThreads" // their group
)

// indicatesVirtual reports whether a thread among the constants of a chunk, read into v, is
// virtual or serves virtual threads. The constants have all threads that lived when the
// chunk began, and those of its events.
func (s *resolver) indicatesVirtual(v *values) bool {
	if v[slotVirtual] != 0 || strings.HasPrefix(s.text(v[slotName]), servesVirtual) {
		return true
	}
	var group values
	return s.chunk.meta.parts.group != nil && s.constant(s.chunk.meta.parts.group, v[slotGroup], &group) &&
		s.text(group[slotName]) == carriers
}

// virtualWarning returns the warning about unobserved waits of virtual threads; none
// without virtual threads.
func (r *Reader) virtualWarning() []format.Warning {
	v := &r.symbols.ids.virtual
	if !v.any() {
		return nil
	}
	what, hint := "no waits", "'contend jfc --exact' makes JDK 25 record those for locks of java.util.concurrent"
	switch {
	case !r.symbols.chunk.meta.unmounts:
		what, hint = "no waits for locks of java.util.concurrent", ""
	case v.jvm.traced:
		what, hint = "no waits for monitors, which JDK 24 and later never record,", ""
	}
	those := "virtual threads"
	if n := len(v.lives); n > 0 {
		those = human.Some(n, "virtual thread", "virtual threads")
	}
	if v.inSamples {
		return []format.Warning{
			{
				Code: format.CodeVirtualThreads,
				Text: human.Say(
					"waits of %s are sampled, in %v samples; waits between two samples are unknown",
					those,
					v.sampled,
				),
			},
		}
	}
	w := format.Warning{
		Code: format.CodeVirtualThreads,
		Text: human.Say("%s of %s are recorded: ", what, those),
		Hint: hint,
	}
	if ns, bounded := v.unobserved(max(r.evidence.until, r.symbols.chunk.head.end())); bounded {
		w.Hidden = max(ns, 1)
		w.Text += human.Say("at most %v are hidden", time.Duration(ns))
	} else {
		w.Text += "their number is unknown, and their waiting has no upper bound"
	}
	return []format.Warning{w}
}
