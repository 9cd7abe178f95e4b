package analysis

import (
	"math"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// runner steps through the instants at which one thread begins or ceases to
// run: it runs over [from, to), widened to hold every wait, but for its idle
// times, less its waits.
type runner struct {
	by int64 // of the instant next returned last: +1 when the thread begins to run, -1 when it ceases

	idle, waits joiner
	rest        span // of the idle time at hand
	wait        span // the first wait that may end behind the beginning of rest
	from, to    int64
	state       runnerState
	back        int64 // when the idle time the thread is in ends
}

type runnerState uint8

const (
	runnerNew runnerState = iota
	runnerRuns
	runnerIdle
	runnerLate // [from, to) has a negative length
	runnerDone
)

// nothing is a span behind all others.
var nothing = span{math.MaxInt64, math.MaxInt64}

// idleWork tells which activities are idle time: a thread with nothing to do.
// A wait no rule classifies is idle too; the warnings say how much there was.
var idleWork = [...]bool{
	format.ActivityUnknown: true,
	format.ActivityWait:    true,
	format.ActivityPark:    true,
	format.ActivitySleep:   true,
	format.ActivityIO:      false,
	format.ActivityRun:     false,
	format.ActivityLive:    false,
	format.ActivitySeen:    false,
	format.ActivityFile:    false,
	format.ActivitySocket:  false,
	format.ActivityTook:    false,
	format.ActivityReady:   false,
}

func newRunner(d *owners.Activities, t format.ThreadID, own owners.Refs, between []span, from, to int64) runner {
	if waits := d.Skip(own, true); waits.Len() > 0 {
		from, to = min(from, d.Begins(waits.From)), max(to, d.WaitsUntil(t))
	}
	r := runner{idle: joiner{d: d, rest: own, idle: true, between: between}, waits: joiner{d: d, rest: own}, from: from, to: to}
	r.rest, r.wait = r.idle.next(), r.waits.next()
	return r
}

// next returns the next instant and sets by; false when there is none.
func (r *runner) next() (at int64, ok bool) {
	switch r.state {
	case runnerNew:
		if r.from > r.to {
			r.state, r.by = runnerLate, -1
			return r.to, true
		}
		r.state, r.by = runnerRuns, 1
		return r.from, true
	case runnerLate:
		r.state, r.by = runnerDone, 1
		return r.from, true
	case runnerIdle:
		r.state, r.by = runnerRuns, 1
		return r.back, true
	case runnerRuns:
		r.by = -1
		for s := r.pause(); s != nothing; s = r.pause() {
			if lo, hi := max(s.start, r.from), min(s.end, r.to); lo < hi {
				r.state, r.back = runnerIdle, hi
				return lo, true
			}
		}
		r.state = runnerDone
		return r.to, true
	}
	return 0, false
}

// pause returns the next stretch of idle time in which the thread does not
// wait for a lock.
func (r *runner) pause() span {
	for r.rest != nothing {
		for r.wait.end <= r.rest.start {
			r.wait = r.waits.next()
		}
		s := r.rest
		if r.wait.start >= s.end {
			r.rest = r.idle.next()
			return s
		}
		if r.rest.start = r.wait.end; r.rest.start >= r.rest.end {
			r.rest = r.idle.next()
		}
		if s.end = r.wait.start; s.start < s.end {
			return s
		}
	}
	return nothing
}

// joiner yields the union of a thread's waits, or of its idle times and the
// stretches between recordings.
type joiner struct {
	d       *owners.Activities
	rest    owners.Refs // by start
	idle    bool
	between []span // by start
	looked  bool   // at rest:
	head    span   // the first of it that is of the kind wanted
}

// next returns the next span that touches none before it.
func (j *joiner) next() span {
	out := nothing
	for {
		s, isBetween := j.first()
		switch {
		case s == nothing || out != nothing && s.start > out.end:
			return out
		case out == nothing:
			out = s
		default:
			out.end = max(out.end, s.end)
		}
		if isBetween {
			j.between = j.between[1:]
		} else {
			j.looked = false
			j.rest.From++
		}
	}
}

// first returns the earliest span of the two lists, nothing at their ends.
func (j *joiner) first() (s span, isBetween bool) {
	if !j.looked {
		j.looked, j.head = true, nothing
		for j.rest = j.d.Skip(j.rest, !j.idle); j.rest.Len() > 0; j.rest = j.d.Skip(j.rest.Behind(), !j.idle) {
			if s, ok := j.span(j.rest.From); ok {
				j.head = s
				break
			}
		}
	}
	if len(j.between) > 0 && j.between[0].start < j.head.start {
		return j.between[0], true
	}
	return j.head, false
}

// span returns the stretch of an activity that is a wait, or none, as wanted: of
// these if it is idle time.
func (j *joiner) span(i column.Ref) (s span, ok bool) {
	if !j.idle {
		s.start, s.end = j.d.Span(i)
		return s, true
	}
	a := j.d.Other(i)
	return span{a.Start, a.End}, idle(a)
}

func idle(o owners.Other) bool {
	return o.End > o.Start && int(o.What()) < len(idleWork) && idleWork[o.What()]
}
