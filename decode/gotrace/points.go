package gotrace

import (
	"cmp"
	"slices"

	"contend/format"
)

// what is what happens to a lock at an instant; at equal times, points are handled in this
// order.
type what uint8

const (
	released what = iota // by thread, waking a waiter: until now it owned the lock
	blocked              // thread begins to wait
	acquired             // thread had waited and runs again: from now on it owns the lock
)

// point is an instant of a lock's history.
type point struct {
	at     int64
	what   what
	mode   format.Mode
	thread format.ThreadID
	wait   int32 // index of the wait it belongs to; of a release, the one that it ends
}

// points returns the acquisitions and releases that the waits for a lock show, by time.
func (r *Reader) points(waits []*wait) []point {
	points := make([]point, 0, 3*len(waits))
	for i, w := range waits {
		n := int32(i)
		points = append(points, point{w.start, blocked, w.mode, w.thread, n})
		if w.waker != format.NoThread {
			by := r.stacks.use(w.unlock)
			points = append(points, point{w.woken, released, mode(by.Shared()), w.waker, n})
		}
		if w.woken != 0 && w.again == 0 {
			points = append(points, point{w.end, acquired, w.mode, w.thread, n})
		}
	}
	slices.SortStableFunc(
		points,
		func(a, b point) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) },
	)
	return points
}

func mode(shared bool) format.Mode {
	if shared {
		return format.Shared
	}
	return format.Exclusive
}
