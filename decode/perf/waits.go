package perf

import (
	"contend/decode/rules"
	"contend/format"
)

// wait is one block on a futex.
type wait struct {
	lock   *lock // nil if the address is not known
	addr   uint64
	start  int64
	stack  format.StackID
	class  string // the class that the rules see
	result rules.Result
	again  bool // it may continue the acquire of the wait held back
	asked  int64

	woken  int64 // NoTime while it waits, or if unknown
	waker  format.ThreadID
	unlock format.StackID // the waker's, releasing the lock
	mode   format.Mode    // in which the waker held it
}

// heldBack is a wait that is over. If the thread blocks on the same lock again at once,
// another thread was quicker and the wait continues.
type heldBack struct {
	wait wait
	end  int64
	open bool // there is one
}

// retrySlack is how long a thread may run between two tries of one acquisition, in ns: it
// finds the lock held, spins, and blocks.
const retrySlack = int64(20e3)

// block begins a wait on a futex.
func (r *Reader) block(t *thread, at int64, f *futex) {
	w := wait{addr: f.addr, start: at, stack: r.stack(true), class: r.classOf(f)}
	w.result = r.classify(w.class, w.stack)
	p := t.process
	if !f.private && w.class != "futex:join" {
		p = r.process(sharedMemory)
	}
	if u := &r.stacks.byID[w.stack].use; w.result.Verdict == rules.Lock && parkers[u.class] {
		w.lock = p.parked(f.addr, u)
	} else {
		w.lock = p.lock(f.addr, &w.result)
	}
	r.begin(t, w)
}

// begin begins a wait.
func (r *Reader) begin(t *thread, w wait) {
	if t.waits { // the end of the previous wait is missing
		r.seen.unended++
		r.unblock(t, max(t.cur.start, min(w.start, t.wokeUp(w.start))), 0)
	}
	w.woken, w.asked = format.NoTime, w.start
	if w.lock == nil {
		w.result = r.classify(w.class, w.stack)
	}
	if t.held.open {
		if w.again = r.retries(t, &w); !w.again {
			r.settle(t)
		}
	}
	if r.seen.waits++; w.stack == format.NoStack {
		r.seen.bare++
		if w.result.Verdict == rules.Lock {
			r.seen.guessed++
		}
	}
	if t.process.pid == 0 {
		r.seen.homeless++
	}
	t.cur, t.waits = w, true
	if w.lock != nil {
		w.lock.waiters = append(w.lock.waiters, t)
	}
}

// wokeUp returns when a thread last got a CPU, at most t.
func (t *thread) wokeUp(at int64) int64 {
	if t.since == format.NoTime {
		return at
	}
	return min(t.since, at)
}

// retries reports whether a wait continues the acquisition of the held-back wait. Had the
// thread acquired and released the lock while others wait, it would have woken one of them,
// and the wait would not be held back any more; nor would it sleep without the lock.
func (r *Reader) retries(t *thread, w *wait) bool {
	h := &t.held
	if w.lock != h.wait.lock || w.result != h.wait.result || t.slept {
		return false
	}
	if w.stack != h.wait.stack && r.stacks.byID[w.stack].use.at != r.stacks.byID[h.wait.stack].use.at {
		return false
	}
	on := t.ran
	if t.off == format.NoTime {
		on += w.start - max(h.end, t.since)
	}
	return on <= retrySlack
}

// unblock ends the wait of a thread with the result of the call.
func (r *Reader) unblock(t *thread, at int64, ret int64) {
	w := t.cur
	t.waits = false
	w.lock.leave(t)
	if ret == errAgain { // it did not wait; the acquisition continues
		if w.again {
			t.held.end = at
		}
		t.process.forget(w.lock)
		return
	}
	if ret >= 0 && w.woken == format.NoTime {
		w.by(w.pending())
	}
	if w.result.Verdict != rules.Lock || w.lock == nil {
		r.idle(t, &w, at)
		t.process.forget(w.lock)
		return
	}
	r.announce(w.lock, &w)
	if w.again {
		r.release(t, &t.held.wait, w.start)
		w.asked = t.held.wait.asked
	}
	t.held = heldBack{w, at, true}
	t.ran = 0
	t.slept = false
	if ret == errTimedOut && !w.lock.gil { // the interpreter asks again every 5 ms
		r.wait(t, true)
	}
}

// settle ends the wait held back: its thread acquired the lock.
func (r *Reader) settle(t *thread) {
	if !t.held.open {
		return
	}
	r.release(t, &t.held.wait, 0)
	t.had, t.mode = t.held.wait.lock, t.held.wait.result.Mode
	r.wait(t, false)
}

// wait delivers the wait held back.
func (r *Reader) wait(t *thread, failed bool) {
	h := &t.held
	h.open = false
	if h.end < h.wait.asked {
		return
	}
	if h.wait.woken != format.NoTime {
		r.seen.lag += max(h.end-h.wait.woken, 0)
	}
	r.Push(format.Event{
		Kind:   format.KindWait,
		Thread: t.id,
		Object: h.wait.lock.id,
		Mode:   h.wait.result.Mode,
		Owner:  h.wait.waker,
		Stack:  h.wait.stack,
		Time:   h.wait.asked,
		End:    h.end,
		Failed: failed,
	})
}

// release delivers the release that ended a wait; again is when its thread blocked again, 0
// if it acquired the lock.
func (r *Reader) release(t *thread, w *wait, again int64) {
	if w.woken == format.NoTime {
		return
	}
	ev := format.Event{
		Kind:   format.KindRelease,
		Thread: w.waker,
		Object: w.lock.id,
		Mode:   w.mode,
		Stack:  w.unlock,
		Woken:  t.id,
		Time:   w.woken,
	}
	if again > w.woken {
		ev.Again = again - w.woken
	}
	r.Push(ev)
}

// idle delivers a wait that is none for a lock, until its thread was woken.
func (r *Reader) idle(t *thread, w *wait, at int64) {
	until := at
	if w.woken != format.NoTime {
		until = min(at, max(w.woken, w.start))
	}
	what := activityOf(w.class)
	if w.result.Verdict == rules.Unknown {
		what = format.ActivityUnknown
	}
	resource := w.result.Verdict == rules.Resource
	r.queueActivity(t, what, w.stack, w.start, until, resource)
	if resource && w.woken != format.NoTime && w.waker != format.NoThread {
		r.Push(format.Event{Kind: format.KindRelease, Thread: w.waker, Stack: w.unlock, Woken: t.id, Time: until})
	}
}

func (r *Reader) queueActivity(t *thread, what format.Activity, stack format.StackID, from, to int64, resource bool) {
	if to >= from {
		r.Push(
			format.Event{
				Kind:     format.KindActivity,
				Thread:   t.id,
				Activity: what,
				Stack:    stack,
				Time:     from,
				End:      to,
				Resource: resource,
			},
		)
	}
}

// interrupt ends the open intervals of a thread, at the end of the recording or of the
// thread.
func (r *Reader) interrupt(t *thread, at int64) {
	if t.waits {
		w := &t.cur
		r.unblock(t, max(at, w.start), errIntr)
	}
	r.settle(t)
	for len(t.kernel) > 0 {
		r.kernelWait(t, len(t.kernel)-1, at, false)
	}
	if t.off != format.NoTime {
		r.offCPU(t, at)
	}
}
