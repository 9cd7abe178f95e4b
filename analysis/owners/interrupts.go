package owners

import (
	"slices"
	"strings"

	"contend/format"
)

// Who waits so that an interrupt may end it leaves the queue without the lock then, and
// no event says so. The queues of java.util.concurrent are in order of arrival, and each
// thread has to wake up and take the lock before the next one is woken: whose wait ends
// while that of one before it goes on was interrupted. Of the first in a queue nothing
// tells but how often the others are, and who is known to have the lock just then.

// How much later than another a thread must have parked to be known to have queued behind
// it, in ns, and of how many that might be interrupted one is, at least, for it to be more
// than parks of one acquire that were not joined.
const (
	behindSlack = int64(20e3)
	leastLeave  = 0.02
)

// firstLeaves is how many times as often as the others in a queue its first is interrupted at
// most: it has waited longest, and who is next may be so with it.
const firstLeaves = 5

// acquire notes who got the lock of a section, and who gave up.
func (ev *evidence) acquire(s *section, waits lockWaits) {
	may := ev.interruptible()
	left, rate := leavers(waits, may)
	s.acquired, s.failed = ev.acquisitions(waits, left)
	for i := range s.acquired {
		s.shared = s.shared || ev.wait(&s.acquired[i]).Mode() == format.Shared
	}
	if left == nil || s.recorded < nearlyAll || s.permits || s.shared {
		return
	}
	changes := float64(len(s.acquired)) / float64(max(s.busyTime(), 1))
	s.leaving = min(firstLeaves*rate, changes/2)
	for i := range s.acquired {
		if a := &s.acquired[i]; may[a.number()] {
			a.doer |= mayHaveLeft
		}
	}
}

// interruptible tells by doer which waits an interrupt may end; nil if none.
func (ev *evidence) interruptible() []bool {
	ev.asking.Do(func() {
		known := map[format.StackID]bool{}
		for i := range ev.what {
			stack := ev.what[i].stack
			may, asked := known[stack]
			if !asked {
				may = slices.ContainsFunc(ev.sym.Frames(stack), interruptibly)
				known[stack] = may
			}
			if !may {
				continue
			}
			if ev.mayLeave == nil {
				ev.mayLeave = make([]bool, len(ev.what))
			}
			ev.mayLeave[i] = true
		}
	})
	return ev.mayLeave
}

// interruptibly reports whether a frame says so.
func interruptibly(f format.Frame) bool {
	return strings.HasSuffix(f.Class, "QueuedSynchronizer") && strings.HasSuffix(f.Method, "Interruptibly")
}

// leavers tells which waits for a lock ended though who had come before waited on, nil where
// they are too few, and how often that happens to one who waits, per ns.
func leavers(waits lockWaits, may []bool) (left []bool, rate float64) {
	if may == nil {
		return nil, 0
	}
	last, before := int64(minTime), 0
	asked, found, behind := 0, 0, int64(0)
	for i := range waits {
		w := &waits[i]
		for ; waits[before].start < w.start-behindSlack; before++ {
			last = max(last, waits[before].end)
		}
		if !may[w.doer] {
			continue
		}
		asked++
		behind += max(min(last, w.end), w.start) - w.start
		if last > w.end {
			if left == nil {
				left = make([]bool, len(waits))
			}
			left[i] = true
			found++
		}
	}
	if float64(found) < leastLeave*float64(asked) {
		return nil, 0
	}
	return left, float64(found) / float64(max(behind, 1))
}

// doubts are acquisitions by others in the course of activities that may be none.
type doubts struct {
	n    int
	time int64 // how long somebody waited then
}

// add takes in an activity of a thread; false if somebody else is known to have got the lock
// meanwhile.
func (d *doubts) add(s *section, t format.ThreadID, lo, hi int64) bool {
	if s.leaving == 0 {
		return !s.acquiredByOther(t, lo, hi)
	}
	n := 0
	for i := s.after(lo + 1); i < len(s.acquired) && s.acquired[i].time < hi; i++ {
		if got := &s.acquired[i]; got.thread != t {
			if got.doer&mayHaveLeft == 0 {
				return false
			}
			n++
		}
	}
	d.n += n
	if s.isBusy(lo, hi) {
		d.time += hi - lo
	}
	return true
}

// tooMany reports whether, of so many activities, there are more than of interrupts.
func (d *doubts) tooMany(s *section, of int) bool {
	return float64(d.n) > tolerance*float64(of)+s.leaving*float64(d.time)
}

// leave takes out who may have been interrupted while another is known to have the lock.
func (s *section) leave() {
	if s.leaving == 0 {
		return
	}
	at := 0
	s.acquired = slices.DeleteFunc(s.acquired, func(a acquisition) bool {
		for at < len(s.seen) && s.seen[at].end <= a.time {
			at++
		}
		if a.doer&mayHaveLeft == 0 || at == len(s.seen) || s.seen[at].start >= a.time || s.seen[at].thread == a.thread {
			return false
		}
		s.failed = append(s.failed, a.time)
		return true
	})
	slices.Sort(s.failed)
	s.near = 0
}
