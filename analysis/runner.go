package analysis

import (
	"math"

	"contend/analysis/owners"
	"contend/format"
)

// runner iterates over the instants at which one thread starts or stops running. The thread
// runs during its lifetime, widened to include all its waits, except while it is idle and
// not waiting for a lock.
type runner struct {
	by int64 // the effect of the instant next returned last: +1 if the thread starts running, -1 if it stops

	idle, waits joiner
	rest        span // what is left of the current idle time
	wait        span // the first wait that may end after rest begins
	from, to    int64
	state       runnerState
	back        int64 // the end of the current idle time
}

type runnerState uint8

const (
	runnerNew runnerState = iota
	runnerRuns
	runnerIdle
	runnerLate // [from, to) has a negative length
	runnerDone
)

// nothing is a span after all others.
var nothing = span{math.MaxInt64, math.MaxInt64}

func newRunner(d *owners.Activities, sleeps *sleepSites, own owners.Refs, between []span, lives span) runner {
	r := runner{idle: joiner{scan: d.Scan(own), idle: true, sleeps: sleeps, between: between}, waits: joiner{scan: d.Scan(own)}, from: lives.start, to: lives.end}
	r.rest, r.wait = r.idle.next(), r.waits.next()
	return r
}

// next returns the next instant and sets by; ok is false if there is none.
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

// pause returns the next interval in which the thread is idle and does not wait for a lock.
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

// joiner iterates over the union of a thread's waits, or over the union of its idle times
// and the intervals between recordings.
type joiner struct {
	scan    owners.Scan // the thread's activities
	idle    bool
	sleeps  *sleepSites // sleeps inside critical sections are not idle time; nil if all sleeps are
	between []span      // by start
	hasHead bool        // head is set:
	head    span        // the next activity of the wanted kind
}

// next returns the next span, merged with all later ones that it touches.
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
			j.hasHead = false
		}
	}
}

// first returns the earlier of the next activity and the next interval between recordings;
// nothing if both lists are done.
func (j *joiner) first() (s span, isBetween bool) {
	if !j.hasHead {
		j.hasHead, j.head = true, j.scanNext()
	}
	if len(j.between) > 0 && j.between[0].start < j.head.start {
		return j.between[0], true
	}
	return j.head, false
}

// scanNext returns the next activity of the wanted kind; nothing at the end.
func (j *joiner) scanNext() span {
	if !j.idle {
		if j.scan.NextWait() {
			return span{j.scan.Start, j.scan.End}
		}
		return nothing
	}
	for j.scan.NextOther() {
		if o := j.scan.Other(); idle(o) && !j.sleeps.works(o) {
			return span{j.scan.Start, j.scan.End}
		}
	}
	return nothing
}

// visitIdle gives the idle times of threads to the visitors that ask for them.
func (r *record) visitIdle(e *emitter) {
	ask := asking[IdleVisitor](e)
	if len(ask) == 0 {
		return
	}
	for t := range r.activities.Threads() {
		of := r.activities.Of(format.ThreadID(t))
		idle := joiner{scan: r.activities.Scan(of), idle: true}
		for s := idle.next(); s != nothing; s = idle.next() {
			paused := r.asleep(s, &of)
			if lo, hi, ok := e.cut(s.start, s.end); ok {
				for _, v := range ask {
					v.Idle(format.ThreadID(t), lo, hi, paused)
				}
			}
		}
	}
}

// asleep reports whether a thread only slept during a span. rest holds the thread's
// activities from there on; it is advanced beyond the span.
func (r *record) asleep(s span, rest *owners.Refs) bool {
	paused := true
	for ; rest.Len() > 0; rest.From++ {
		i := rest.From
		if r.activities.IsWait(i) {
			if r.activities.Begins(i) >= s.end {
				break
			}
			continue
		}
		a := r.activities.Other(i)
		if a.Start >= s.end {
			break
		}
		if a.Start >= s.start && idle(a) && a.What() != format.ActivitySleep {
			paused = false
		}
	}
	return paused
}
