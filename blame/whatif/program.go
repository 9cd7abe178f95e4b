package whatif

import (
	"cmp"
	"math"
	"slices"
)

// step is one instruction of a thread: it takes a lock or releases it. The
// last one of a program does neither: it ends the thread's turn.
type step struct {
	*tenure        // that begins or ends; nil in the last step
	at      int64  // when the trace shows it asked for, since the start
	busy    int64  // running time since the step before
	idle    int64  // time with nothing to do since the step before
	comes   bool   // and what ended it came from outside
	lock    int32  // of the tenure, in the numbers of the part
	inside  uint32 // the innermost section the thread is in before the step
	op      op
}

type op uint8

const (
	take op = iota
	give
	turn // begin again
)

// outside is the section of time in no critical section.
const outside = ^uint32(0)

// late is how much longer a thread is away before its first step than ever after:
// it began late, which it does once only.
func late(steps []step) int64 {
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

// behind is how much later than recorded a waiter is taken to have come, in nanoseconds:
// the owners that are known from then on were there before.
const behind = 150

// inOrder orders and numbers the tenures of a thread, to which a wait belongs that has not
// ended with the trace.
func (t *thread) inOrder(list []tenure, length int64) []tenure {
	if t.last.start >= length && !slices.ContainsFunc(list, func(h tenure) bool { return h.asked == t.last.asked && h.lock == t.last.lock }) {
		t.last.start, t.last.end = length, length
		list = append(list, t.last)
	}
	slices.SortStableFunc(list, func(a, b tenure) int { return cmp.Or(cmp.Compare(a.asked, b.asked), cmp.Compare(a.start, b.start)) })
	for i := range list {
		h := &list[i]
		if h.number = uint32(i); h.asked < h.start {
			h.asked = min(h.asked+behind, h.start)
		}
	}
	return list
}

// programOf turns the tenures of a thread into steps: run so long, take this,
// run so long, release it. Waiting is left out: the replay makes it anew.
func (t *thread) programOf(list []tenure, length int64) program {
	b := programmer{idle: t.idle}
	for i := range list {
		h := &list[i]
		b.releaseUntil(h.asked)
		b.add(step{at: h.asked, op: take, lock: h.lock, tenure: h})
		b.done = max(b.done, h.start)
		b.open = append(b.open, h)
	}
	b.releaseUntil(math.MaxInt64)
	b.add(step{at: max(length, b.done), op: turn})
	return program{steps: b.steps, thread: t.number, late: late(b.steps)}
}

// programmer is a program in the making.
type programmer struct {
	steps []step
	open  []*tenure // held, the innermost last
	idle  []span    // what is still to come
	done  int64     // when the last step was done
}

// releaseUntil adds the ends of what is held up to an instant.
func (b *programmer) releaseUntil(t int64) {
	for len(b.open) > 0 {
		i := 0
		for j := range b.open {
			if b.open[j].end <= b.open[i].end {
				i = j // of those that end at once the innermost comes first
			}
		}
		h := b.open[i]
		if h.end > t {
			return
		}
		b.add(step{at: h.end, op: give, lock: h.lock, tenure: h})
		b.open = slices.Delete(b.open, i, i+1)
		b.done = max(b.done, h.end)
	}
}

// add appends a step with the time since the one before.
func (b *programmer) add(s step) {
	s.inside = outside
	if n := len(b.open); n > 0 {
		s.inside = b.open[n-1].section
	}
	s.idle, s.comes = b.idleUntil(s.at)
	s.busy = max(s.at-b.done-s.idle, 0)
	b.steps = append(b.steps, s)
}

// idleUntil returns how much idle time lies between the last step and t, and
// whether it was more than pauses.
func (b *programmer) idleUntil(t int64) (ns int64, comes bool) {
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
