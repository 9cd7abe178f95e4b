package jfr

import (
	"math"
	"time"

	"contend/format"
	"contend/format/human"
)

// unobserved is what a recording shows only in part, as an amount or an upper bound.
type unobserved struct {
	cut       amount // waits whose stacks end before their outermost frame
	unnamed   int    // methods, classes and symbols that chunks without damage lack
	nameless  amount // waits in whose stacks a name is missing
	unsorted  amount // parks in whose stacks a name is missing, and which may be waits for locks by it
	loads     int    // samples of the machine's load
	saturated int    // samples without an idle processor
	contended bool   // a thread waited for a lock
}

// amount is a number of waits, and their time in nanoseconds.
type amount struct {
	waits int
	ns    int64
}

func (a *amount) addWait(ns int64) { a.waits, a.ns = a.waits+1, a.ns+ns }

// inspect looks at an event that is about to be delivered.
func (r *Reader) inspect(ev *format.Event) {
	r.evidence.until = max(r.evidence.until, ev.End)
	switch ev.Kind {
	case format.KindWait:
		r.evidence.unobserved.contended = true
		if _, cut := r.symbols.ids.cut[ev.Stack]; cut {
			r.evidence.unobserved.cut.addWait(ev.End - ev.Time)
		}
		if _, nameless := r.symbols.ids.nameless[ev.Stack]; nameless {
			r.evidence.unobserved.nameless.addWait(ev.End - ev.Time)
		}
		r.symbols.ids.virtual.observe(ev)
	case format.KindActivity:
		if _, nameless := r.symbols.ids.nameless[ev.Stack]; nameless && ev.Activity == format.ActivityPark {
			r.evidence.unobserved.unsorted.addWait(ev.End - ev.Time)
		}
		r.symbols.ids.virtual.observe(ev)
	}
}

// saturation is the part of the processors' time above which a runnable thread may
// have to wait for one.
const saturation = 0.95

// cpuLoad notes how busy the machine was.
func cpuLoad(r *Reader, v *values, _ *format.Event) bool {
	r.evidence.unobserved.loads++
	if float64(math.Float32frombits(uint32(v[slotLoad]))) >= saturation {
		r.evidence.unobserved.saturated++
	}
	return false
}

// warnings returns the warnings about unobserved activity.
func (h *unobserved) warnings() (out []format.Warning) {
	say := func(code, text string, args ...any) {
		out = append(out, format.Warning{Code: code, Text: human.Say(text, args...)})
	}
	if h.cut.waits > 0 {
		say(
			format.CodeTruncatedStacks,
			"the stacks of %s, %v of waiting, end before the outermost frame: record with "+
				"-XX:FlightRecorderOptions=stackdepth=256",
			human.Some(int(h.cut.waits), "wait", "waits"),
			time.Duration(h.cut.ns),
		)
	}
	if h.unnamed > 0 {
		out = append(out, h.namesWarnings()...)
	}
	if h.contended && h.saturated*5 >= h.loads && h.loads > 0 {
		say(
			format.CodeSaturated,
			"no processor was idle in %v of %v samples: owners of locks waited for one, too",
			h.saturated,
			h.loads,
		)
	}
	return out
}

// namesWarnings returns the warnings that names are missing in stacks.
func (h *unobserved) namesWarnings() []format.Warning {
	out := []format.Warning{{
		Code: format.CodeUnnamed,
		Text: human.Say("the recording lacks %s that stacks refer to: %s, %v of waiting, have frames without a name",
			human.Some(h.unnamed, "name", "names"),
			human.Some(h.nameless.waits, "wait", "waits"),
			time.Duration(h.nameless.ns)),
		Hint: "no event is missing; JDK 17 and later record the names of unloaded classes, too",
	}}
	if h.unsorted.waits > 0 {
		out = append(out, format.Warning{
			Code: format.CodeUnclassified,
			Text: human.Say("%s of together %v count as idle, and may be waits for locks: their stacks lack names",
				human.Some(h.unsorted.waits, "park", "parks"), time.Duration(h.unsorted.ns)),
			Hidden: h.unsorted.ns,
		})
	}
	return out
}
