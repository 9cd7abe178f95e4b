package analysis

import (
	"math"

	"contend/analysis/owners"
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

func newRunner(d *owners.Activities, sleeps *sleepSites, own owners.Refs, between []span, lives span) runner {
	r := runner{idle: joiner{scan: d.Scan(own), idle: true, sleeps: sleeps, between: between}, waits: joiner{scan: d.Scan(own)}, from: lives.start, to: lives.end}
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
	scan    owners.Scan // of what the thread did
	idle    bool
	sleeps  *sleepSites // those inside of critical sections are no idle times; nil: all are
	between []span      // by start
	looked  bool        // the scan is at:
	head    span        // the first activity of the kind wanted
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
		}
	}
}

// first returns the earliest span of the two lists, nothing at their ends.
func (j *joiner) first() (s span, isBetween bool) {
	if !j.looked {
		j.looked, j.head = true, j.look()
	}
	if len(j.between) > 0 && j.between[0].start < j.head.start {
		return j.between[0], true
	}
	return j.head, false
}

// look returns the next activity of the kind wanted, nothing at the end.
func (j *joiner) look() span {
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
