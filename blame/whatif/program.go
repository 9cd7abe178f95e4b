package whatif

import (
	"cmp"
	"math"
	"slices"
)

// step is one instruction of a thread: it acquires or releases a lock. The last step of a
// program restarts it.
type step struct {
	hold     *hold  // that begins or ends; nil in the last step
	at       int64  // when the trace has it, ns since the start
	busy     int64  // running time since the previous step, ns
	idle     int64  // idle time since the previous step, ns
	external bool   // an external event ended it
	lock     int32  // numbered within the part
	inside   uint32 // the innermost section before the step
	op       op
}

type op uint8

const (
	acquire op = iota
	release
	restart // from the first step
)

// outside is the section of time outside all critical sections.
const outside = ^uint32(0)

// startDelayOf returns the excess of the time before the first step over the longest time
// outside of sections later on: the thread began late, which is not repeated.
func startDelayOf(steps []step) int64 {
	longest := int64(0)
	for i := 1; i < len(steps); i++ {
		if steps[i].inside == outside {
			longest = max(longest, steps[i].busy+steps[i].idle)
		}
	}
	if len(steps) < 2 {
		return 0
	}
	return max(steps[0].busy+steps[0].idle-longest, 0)
}

// arrivalSkew is the time, in ns, by which arrivals of waiters are delayed in the replay:
// owners that are known from the same instant on were there before.
const arrivalSkew = 150

// inOrder orders and numbers the holds of a thread, and adds a wait that has not ended with
// the trace.
func (t *thread) inOrder(list []hold, length int64) []hold {
	if t.last.start >= length &&
		!slices.ContainsFunc(list, func(h hold) bool { return h.asked == t.last.asked && h.lock == t.last.lock }) {
		t.last.start, t.last.end = length, length
		list = append(list, t.last)
	}
	slices.SortStableFunc(
		list,
		func(a, b hold) int { return cmp.Or(cmp.Compare(a.asked, b.asked), cmp.Compare(a.start, b.start)) },
	)
	for i := range list {
		h := &list[i]
		h.number = uint32(i)
		if h.waited() {
			h.asked = min(h.asked+arrivalSkew, h.start)
		}
	}
	return list
}

// programOf turns the holds of a thread into steps: run, acquire, run, release. Waiting is
// left out, the replay computes it.
func (t *thread) programOf(list []hold, length int64) program {
	b := programBuilder{idle: t.idle}
	for i := range list {
		h := &list[i]
		b.releaseUntil(h.asked)
		b.addStep(step{at: h.asked, op: acquire, lock: h.lock, hold: h})
		b.done = max(b.done, h.start)
		b.open = append(b.open, h)
	}
	b.releaseUntil(math.MaxInt64)
	b.addStep(step{at: max(length, b.done), op: restart})
	return program{steps: b.steps, thread: t.number, startDelay: startDelayOf(b.steps)}
}

// programBuilder builds a program.
type programBuilder struct {
	steps []step
	open  []*hold // the innermost last
	idle  []span  // later than the last step
	done  int64   // when the last step ended
}

// releaseUntil adds the releases up to an instant.
func (b *programBuilder) releaseUntil(t int64) {
	for len(b.open) > 0 {
		i := 0
		for j := range b.open {
			if b.open[j].end <= b.open[i].end {
				i = j // of several at one instant the innermost is released first
			}
		}
		h := b.open[i]
		if h.end > t {
			return
		}
		b.addStep(step{at: h.end, op: release, lock: h.lock, hold: h})
		b.open = slices.Delete(b.open, i, i+1)
		b.done = max(b.done, h.end)
	}
}

// addStep appends a step with the time since the previous one.
func (b *programBuilder) addStep(s step) {
	s.inside = outside
	if n := len(b.open); n > 0 {
		s.inside = b.open[n-1].section
	}
	s.idle, s.external = b.idleUntil(s.at)
	s.busy = max(s.at-b.done-s.idle, 0)
	b.steps = append(b.steps, s)
}

// idleUntil returns the idle time between the last step and t, and whether an external event
// ended any of it.
func (b *programBuilder) idleUntil(t int64) (ns int64, comes bool) {
	for len(b.idle) > 0 && b.idle[0].start < t {
		s := &b.idle[0]
		ns += max(min(s.end, t)-max(s.start, b.done), 0)
		comes = comes || !s.pause
		if s.end > t {
			break
		}
		b.idle = b.idle[1:]
	}
	return ns, comes
}
