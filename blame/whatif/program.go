package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// step is one instruction of a thread: it takes a lock or gives it back. The
// last one of a program does neither: it ends the thread's turn.
type step struct {
	at       int64  // when the trace shows it asked for, since the start
	busy     int64  // running time since the step before
	idle     int64  // time with nothing to do since the step before
	comes    bool   // and what ended it came from outside
	lock     int32  // takes or gives back; nothing of the last step
	section  uint32 // the critical section it takes the lock for
	inside   uint32 // the innermost section the thread is in before the step
	number   uint32 // of the tenure, in the thread
	readable bool   // beside others that are
	op       op
}

type op uint8

const (
	take op = iota
	give
	turn // begin again
)

// outside is the section of time in no critical section.
const outside = ^uint32(0)

// thread is what the trace shows of one thread.
type thread struct {
	holds []hold
	idle  []span
	last  hold // its last wait, as if the lock was given back at once
}

type span struct {
	start, end int64
	pause      bool // it lasts as long as the thread wants
}

// hold is a tenure; times since the start.
type hold struct {
	asked, start, end int64
	lock              int32
	section, number   uint32
	mode              format.Mode
}

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

// program turns the tenures of a thread into steps: run so long, take this,
// run so long, give it back. Waiting is left out: the replay makes it anew.
func (t *thread) program(length int64) []step {
	if t.unended(length) {
		t.last.start, t.last.end = length, length
		t.holds = append(t.holds, t.last)
	}
	slices.SortStableFunc(t.holds, func(a, b hold) int { return cmp.Or(cmp.Compare(a.asked, b.asked), cmp.Compare(a.start, b.start)) })
	b := programmer{idle: t.idle}
	for i := range t.holds {
		h := &t.holds[i]
		if h.number = uint32(i); h.asked < h.start {
			h.asked = min(h.asked+behind, h.start) // whom it waited for was there before
		}
		b.giveUntil(h.asked)
		b.add(step{at: h.asked, op: take, lock: h.lock, section: h.section, number: h.number, readable: h.mode == format.Shared})
		b.done = max(b.done, h.start)
		b.open = append(b.open, *h)
	}
	b.giveUntil(math.MaxInt64)
	b.add(step{at: max(length, b.done), op: turn})
	return b.steps
}

// behind is how much later than it was said one comes who waits, in nanoseconds:
// those who are known to have had the lock from then on were there before.
const behind = 150

// unended reports whether the thread waits at the end of the trace.
func (t *thread) unended(length int64) bool {
	return t.last.start >= length && !slices.ContainsFunc(t.holds, func(h hold) bool { return h.asked == t.last.asked && h.lock == t.last.lock })
}

// programmer is a program in the making.
type programmer struct {
	steps []step
	open  []hold // held, the innermost last
	idle  []span // what is still to come
	done  int64  // when the last step was done
}

// giveUntil adds the ends of what is held up to an instant.
func (b *programmer) giveUntil(t int64) {
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
		b.add(step{at: h.end, op: give, lock: h.lock, section: h.section, number: h.number, readable: h.mode == format.Shared})
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
