package gotrace

import (
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
	mode              format.Mode
	kind              format.LockKind
	again             int64 // another goroutine was quicker: when a further try began, which stands for the whole acquisition; 0 without one
}

// retrySlack is how long a goroutine may run between two tries of one acquisition, ns: it
// spins, finds the lock held again, and blocks again.
const retrySlack = int64(20e3)

// retries reports whether a block continues the acquisition in which the goroutine last
// blocked. Had it acquired and released the lock while others wait, it would have woken one
// of them.
func (r *Reader) retries(g *goroutine, at int64, stack format.StackID) bool {
	return g.tries && !g.gave && g.stack == stack && at-g.ran <= retrySlack
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
		site:   r.sites.siteOf(&u),
		mode:   g.mode,
		kind:   g.kind,
	}
	if w.waker != format.NoThread {
		by := r.stacks.use(w.unlock)
		r.sites.join(w.site, r.sites.siteOf(&by))
	}
	if w.woken != 0 {
		r.late += w.end - w.woken
	}
	if g.again {
		before := r.waits.At(column.Ref(g.wait))
		before.again = w.start
		w.asked = before.asked
	}
	g.wait = r.waits.Len()
	r.waits.Add(w)
}
