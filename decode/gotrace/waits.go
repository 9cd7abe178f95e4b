package gotrace

import (
	"slices"

	"contend/decode/gonames"
	"contend/format"
	"contend/format/column"
)

// wait is one block on a lock, kept until its lock is known: 80 bytes. All
// times are the trace's.
type wait struct {
	asked             int64 // when the acquisition first blocked; before start for a further try
	start, woken, end int64 // woken is 0 if it was not; at end the goroutine runs again
	thread, waker     format.ThreadID
	stack, unlock     format.StackID // the waiter's, and the waker's releasing the lock
	site              site
	lock              format.ObjectID // given when the trace has been read
	call              uint32          // the number of the waker's instruction that released the lock
	mode              format.Mode
	kind              format.LockKind
	left              int64 // when the goroutine was first seen outside of the acquiring function; 0: never
	// another goroutine was quicker: when a further try began, which stands for the whole acquisition;
	// 0 without one
	again int64
}

// How long a goroutine may run between two blocks of one acquisition, ns. It tries again: it
// spins, finds the lock held again, and blocks again. Or it is a writer of an RWMutex that has
// its turn among the writers, and blocks until the readers have left.
const (
	retrySlack = int64(20e3)
	turnSlack  = int64(200e3)
)

// continues reports whether a block continues the acquisition in which the goroutine last
// blocked, and ran since for some nanoseconds. Had it acquired and released the lock while others
// wait, it would have woken one of them.
func (r *Reader) continues(g *goroutine, ran int64, stack format.StackID) bool {
	if !g.tries || g.gave {
		return false
	}
	return g.stack == stack && ran <= retrySlack || ran <= turnSlack && r.awaitsReaders(g.stack, stack)
}

// awaitsReaders reports whether a stack waits for the readers of an RWMutex, in the call in which
// the one before waited for other writers.
func (r *Reader) awaitsReaders(before, stack format.StackID) bool {
	queued, waits := r.stacks.use(before), r.stacks.use(stack)
	if waits.Class != "sync.RWMutex" || waits.Method != "Lock" || queued != waits {
		return false
	}
	inner, outer := gonames.OfLock(r.stacks.framesOf(before))
	other, same := gonames.OfLock(r.stacks.framesOf(stack))
	return len(inner) > len(other) && slices.Equal(outer, same)
}

// keep books a block on a lock that ends.
func (r *Reader) keep(g *goroutine, end int64) {
	u := r.stacks.use(g.stack)
	if u.Class == "" {
		u.Class = "lock" // a rule of the user's calls it one
	}
	w := wait{
		asked:  g.blocked,
		start:  g.blocked,
		woken:  g.woken,
		end:    end,
		thread: g.thread,
		waker:  g.waker,
		stack:  g.stack,
		unlock: g.unlock,
		site:   r.sites.siteOf(&u, 0, format.NoStack),
		call:   g.call,
		mode:   g.mode,
		kind:   g.kind,
	}
	if w.waker != format.NoThread {
		by := r.stacks.use(w.unlock)
		r.sites.join(w.site, r.sites.siteOf(&by, w.call, format.NoStack))
	}
	if w.woken != 0 {
		r.late += w.end - w.woken
	}
	if g.again {
		before := r.waits.Elem(column.Ref(g.wait))
		before.again = w.start
		w.asked = before.asked
	}
	g.wait = r.waits.Len()
	r.waits.Append(w)
	if len(g.inside) == maxInside {
		g.inside = slices.Delete(g.inside, 0, 1)
	}
	g.inside = append(g.inside, g.wait)
}

// maxInside is how many functions that acquired locks a goroutine is followed out of at once.
const maxInside = 4

// leave notes which functions that acquired locks a goroutine has left when it blocks with a stack.
func (r *Reader) leave(g *goroutine, at int64, stack format.StackID) {
	g.inside = slices.DeleteFunc(g.inside, func(i int) bool {
		w := r.waits.Elem(column.Ref(i))
		if r.stacks.within(w.stack, stack) {
			return false
		}
		w.left = at
		return true
	})
}

// unseen reports whether the goroutine of a wait released the lock unseen before an instant: it had left the
// function that acquires and releases it, of which it now ends another call.
func (r *Reader) unseen(w *wait, at int64, unlock format.StackID) bool {
	return w.left != 0 && w.left < at && r.stacks.within(w.stack, unlock)
}
