package gotrace

import (
	"cmp"
	"slices"

	"contend/decode/gosym"
	"contend/format"
)

// tenure is one stretch of owning a lock.
type tenure struct {
	start, end int64
	thread     format.ThreadID // NoThread: somebody, nobody knows who
	lock       format.ObjectID
	stack      format.StackID
	mode       format.Mode
}

// what happens to a lock at a point of time, in the order in which points of
// the same time are taken.
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
	stack  format.StackID
	wait   int32 // index of the wait it belongs to; of a release, the one that it ends
	queued int64 // of a release: since when the one it wakes had been blocked
}

// history rebuilds who owned one lock. What the trace shows of it are blocks,
// acquisitions by goroutines that had waited, and releases that wake one; not
// acquisitions without waiting nor releases that wake nobody. But a release
// wakes somebody whenever somebody is queued and nobody is awake and
// competing already. So:
//
//  1. a release by the last acquirer ends its tenure;
//  2. a release by another shows a tenure that began unseen, as long before
//     as its section usually takes, not before the last point at which
//     another owned the lock, and not after somebody blocked since;
//  3. an acquirer without a release owned the lock as long as its section
//     usually takes, at most until the next owner or until it waits itself.
//
// What is left in between is the hand-off.
type history struct {
	r      *Reader
	lock   format.ObjectID
	kind   format.LockKind
	points []point
	usual  map[string]int64 // length of sections, by function
	out    []tenure
}

// own appends the tenures of a lock.
func (r *Reader) own(lock format.ObjectID, waits []*wait, out []tenure) []tenure {
	h := &history{r: r, lock: lock, kind: waits[0].kind, points: r.points(waits), usual: map[string]int64{}, out: out}
	h.learn()
	h.rebuild()
	return h.out
}

// points returns what the waits for a lock show of it, by time.
func (r *Reader) points(waits []*wait) []point {
	points := make([]point, 0, 3*len(waits))
	for i, w := range waits {
		n := int32(i)
		points = append(points, point{w.start, blocked, w.mode, w.thread, w.stack, n, 0})
		if w.waker != format.NoThread {
			by := r.stacks.use(w.unlock)
			points = append(points, point{w.woken, released, mode(by.shared()), w.waker, w.unlock, n, w.start})
		}
		if w.woken != 0 && !w.lost {
			points = append(points, point{w.end, acquired, w.mode, w.thread, w.stack, n, 0})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	return points
}

func mode(shared bool) format.Mode {
	if shared {
		return format.Shared
	}
	return format.Exclusive
}

// function names the section a point belongs to.
func (h *history) function(p *point) string {
	return gosym.Name(h.r.stacks.byID[p.stack].use.at)
}

// learn takes, for each function, the median time from an acquisition to the
// release by the same goroutine where nothing else is seen between.
func (h *history) learn() {
	lengths := map[string][]int64{}
	var last *point
	for i := range h.points {
		p := &h.points[i]
		if p.what == blocked {
			continue
		}
		if last != nil && p.what == released && last.what == acquired && last.thread == p.thread {
			lengths[h.function(p)] = append(lengths[h.function(p)], p.at-last.at)
		}
		last = p
	}
	for fn, list := range lengths {
		slices.Sort(list)
		h.usual[fn] = list[len(list)/2]
	}
}
