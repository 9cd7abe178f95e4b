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

// note looks at an event that is about to be delivered.
func (r *Reader) note(ev *format.Event) {
	r.until = max(r.until, ev.End)
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
func (h *hidden) warnings() (out []format.Warning) {
	say := func(code, text string, args ...any) {
		out = append(out, format.Warning{Code: code, Text: format.Say(text, args...)})
	}
	if h.cut.waits > 0 {
		say("truncated-stacks", "the stacks of %s, %v of waiting, end before the outermost frame: record with -XX:FlightRecorderOptions=stackdepth=256", format.Some(int(h.cut.waits), "wait", "waits"), time.Duration(h.cut.ns))
	}
	if h.reentries.waits > 0 {
		say("re-entry", "%v threads that were notified together entered their monitors one after the other: at most %v of waiting for monitors count as Object.wait", h.reentries.waits, time.Duration(h.reentries.ns))
	}
	if h.contended && h.saturated*5 >= h.loads && h.loads > 0 {
		say("saturated", "no processor was idle in %v of %v samples: owners of locks waited for one, too", h.saturated, h.loads)
	}
	return out
}
