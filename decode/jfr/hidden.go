package jfr

import (
	"cmp"
	"math"
	"slices"
	"time"

	"contend/format"
)

// hidden is what a recording shows only in part: how much that is, or at most.
type hidden struct {
	cut       amount // waits whose stacks end before their outermost frame
	reentries amount // of monitors, after Object.wait
	loads     int    // samples of the machine's load
	saturated int    // those of no idle processor
	contended bool   // somebody waited for a lock

	notified []notified // in this chunk
}

// amount is a number of waits, and their time in nanoseconds.
type amount struct {
	waits int
	ns    int64
}

func (a *amount) add(ns int64) { a.waits, a.ns = a.waits+1, a.ns+ns }

// virtuals are the virtual threads of an input, and what their lives add up to: there
// may be a million of them, and what is hidden is asked for often.
type virtuals struct {
	lives            map[format.ThreadID]*virtualLife
	hidden           int64 // the time between their first and last event of which nothing tells
	monitors, parked bool  // any wait for one, or for another lock
}

// virtualLife is what is recorded of a virtual thread: times in nanoseconds.
type virtualLife struct {
	lastPark    int64 // when the last park ended that has its own event
	first, last int64
	known       int64 // of waiting and being idle
}

// add adds a virtual thread, unless it is known.
func (v *virtuals) add(t format.ThreadID) {
	if v.lives[t] == nil {
		v.lives[t] = &virtualLife{lastPark: format.NoTime, last: format.NoTime}
	}
}

// note notes what a thread did, which need be none of these.
func (v *virtuals) note(ev *format.Event) {
	l := v.lives[ev.Thread]
	if l == nil {
		return
	}
	v.hidden -= l.hidden()
	l.note(ev)
	v.hidden += l.hidden()
}

// hidden is the time between the first and the last event of which nothing tells.
func (l *virtualLife) hidden() int64 {
	if l.last == format.NoTime {
		return 0
	}
	return max(l.last-l.first-l.known, 0)
}

// note looks at an event that is about to be delivered.
func (r *Reader) note(ev *format.Event) {
	switch ev.Kind {
	case format.KindWait:
		r.hidden.contended = true
		if _, cut := r.ids.cut[ev.Stack]; cut {
			r.hidden.cut.add(ev.End - ev.Time)
		}
		r.ids.virtual.note(ev)
	case format.KindActivity:
		r.ids.virtual.note(ev)
	}
}

func (l *virtualLife) note(ev *format.Event) {
	if l.last == format.NoTime || ev.Time < l.first {
		l.first = ev.Time
	}
	l.last = max(l.last, ev.End)
	l.known += ev.End - ev.Time
}

// mostNotified is how many waits of one chunk are remembered at most.
const mostNotified = 1 << 20

// notified is an Object.wait that another thread ended.
type notified struct {
	monitor    format.ObjectID
	by         format.ThreadID
	start, end int64
}

// turn adds up, chunk by chunk, how long threads that were notified together
// took to enter their monitor again, one after the other. The recording counts
// it as part of Object.wait. The first is taken to enter at once; who was
// notified later by the same thread counts in full: it is a bound.
func (h *hidden) turn() {
	slices.SortFunc(h.notified, func(a, b notified) int { return cmp.Or(cmp.Compare(a.monitor, b.monitor), cmp.Compare(a.end, b.end)) })
	var first notified
	for _, n := range h.notified {
		if n.monitor != first.monitor || n.by != first.by || n.start >= first.end {
			first = n
			continue
		}
		h.reentries.add(n.end - first.end)
	}
	h.notified = h.notified[:0]
}

// saturation is the part of the processors' time above which who runs may have
// to wait for one.
const saturation = 0.95

// cpuLoad notes how busy the machine was.
func cpuLoad(r *Reader, v *values, _ *format.Event) bool {
	r.hidden.loads++
	if float64(math.Float32frombits(uint32(v[slotLoad]))) >= saturation {
		r.hidden.saturated++
	}
	return false
}

// warnings says what is hidden.
func (h *hidden) warnings(virtual *virtuals) (out []format.Warning) {
	say := func(code, text string, args ...any) *format.Warning {
		out = append(out, format.Warning{Code: code, Text: format.Say(text, args...)})
		return &out[len(out)-1]
	}
	if h.cut.waits > 0 {
		say("truncated-stacks", "the stacks of %s, %v of waiting, end before the outermost frame: record with -XX:FlightRecorderOptions=stackdepth=256", format.Some(int(h.cut.waits), "wait", "waits"), time.Duration(h.cut.ns))
	}
	if n, ns, what := virtual.unseen(); what != "" {
		say("virtual-threads", "of %s no waits %s: at most %v are hidden", format.Some(int(n), "virtual thread", "virtual threads"), what, time.Duration(ns)).Hidden = max(ns, 1)
	}
	if h.reentries.waits > 0 {
		say("re-entry", "%v threads that were notified together entered their monitors one after the other: at most %v of waiting for monitors count as Object.wait", h.reentries.waits, time.Duration(h.reentries.ns))
	}
	if h.contended && h.saturated*5 >= h.loads && h.loads > 0 {
		say("saturated", "no processor was idle in %v of %v samples: owners of locks waited for one, too", h.saturated, h.loads)
	}
	return out
}

// unseen says which waits of virtual threads are not recorded, and how much of
// the time between their first and last event nothing tells of.
func (v *virtuals) unseen() (threads int, ns int64, what string) {
	switch {
	case len(v.lives) == 0 || v.monitors:
	case v.parked:
		what = "for monitors are recorded, which JDK 24 and later never do"
	default:
		what = "are recorded ('contend jfc --exact' makes JDK 25 record those for locks of java.util.concurrent)"
	}
	return len(v.lives), v.hidden, what
}
