package whatif

import "contend/format"

// outcome is what a replay came to.
type outcome struct {
	taken  [windows]int64 // acquisitions, by part of the time
	waited [windows]int64 // by when the wait ended
	stuck  bool           // threads wait for each other for ever
}

func (o *outcome) add(part *outcome) {
	for i := range windows {
		o.taken[i] += part.taken[i]
		o.waited[i] += part.waited[i]
	}
	o.stuck = o.stuck || part.stuck
}

// share leaves one of so many outcomes that were added.
func (o *outcome) share(of int64) {
	for i := range windows {
		o.taken[i], o.waited[i] = o.taken[i]/of, o.waited[i]/of
	}
}

// replay runs the programs of the threads of a part over again, for length
// nanoseconds: a thread at the end of its program begins anew. Locks are handed
// over as they were in the trace.
type replay struct {
	length  int64
	change  *effect
	loop    loop
	threads []actor
	stripes []stripes // by lock of the trace
	locks   []lock
	due     *queue
	out     outcome
}

// loop is the assumption about idle time.
type loop struct {
	open   bool // an idle time ends no earlier than in the trace; else it keeps its length
	likely bool // time in which the lock has no known owner is the section's as often as other time
}

// actor is a thread of a replay.
type actor struct {
	*program
	next   int
	base   int64 // when its program began this time
	since  int64 // when it began to wait
	rank   int64 // when it would have begun, had the lock served in order of arrival
	behind int32 // the thread that waits behind it, counted from 1
}

// lock is a lock of a replay, or a stripe of one.
type lock struct {
	of      int32 // the lock of the trace
	holders int
	permits int  // how many threads may hold it at once without sharing it: of a semaphore
	shared  bool // its owners are readers
	gone    bool
	first   int32 // the next waiter, counted from 1; 0 for none
	last    int32 // and the last one
	owner   int32 // the thread that took it last
	typical int64 // how long handing over takes

	counted int32  // the waiter for which it counts how long it is free, counted from 1
	left    int64  // how long it has still to be
	yields  int32  // how many other threads take it before, if they come
	since   int64  // from when on
	due     uint32 // the event that it has been, 0 while it is not free
}

func (r *replay) run() outcome {
	r.due = newQueue(len(r.threads)+len(r.locks), r.length)
	for i := range r.threads {
		r.plan(int32(i), 0)
	}
	for e, ok := r.due.pop(); ok && e.at < r.length; e, ok = r.due.pop() {
		if e.id >= 0 {
			r.step(e.id, e.at)
		} else if r.locks[^e.id].due == e.seq {
			r.grant(^e.id, e.at)
		}
	}
	for i := range r.locks {
		for id := r.locks[i].first; id > 0; id = r.threads[id-1].behind {
			r.out.waited[windows-1] += max(r.length-r.threads[id-1].since, 0)
		}
	}
	r.out.stuck = r.deadlocked()
	return r.out
}

// deadlocked reports whether threads wait for each other in a circle.
func (r *replay) deadlocked() bool {
	waits := make([]int32, len(r.threads)) // for a lock, counted from 1
	for l := range r.locks {
		for id := r.locks[l].first; id > 0; id = r.threads[id-1].behind {
			waits[id-1] = int32(l) + 1
		}
	}
	seen := make([]int32, len(r.threads)) // on the path from which thread, counted from 1
	for i := range waits {
		for id := int32(i); waits[id] > 0; {
			l := &r.locks[waits[id]-1]
			if seen[id] == int32(i)+1 {
				return true
			}
			if seen[id] > 0 || l.holders == 0 || l.shared || l.permits > 1 {
				break
			}
			seen[id], id = int32(i)+1, l.owner
		}
	}
	return false
}

// plan finds out when a thread does its next step.
func (r *replay) plan(id int32, now int64) {
	a := &r.threads[id]
	s := &a.steps[a.next]
	busy, idle := r.change.shrunk(s.inside, s.busy), r.change.shrunk(s.inside, s.idle)
	at := now + busy + idle
	if r.loop.open && s.comes && s.inside == outside {
		at = max(now+busy, a.base+s.at)
	}
	turn := giving
	if s.op == take {
		turn = coming
	}
	r.due.push(at, turn, id)
}

// mostRounds is how often a thread begins its program anew at most. In the trace it does
// once, and more often by what it no longer waits; a change that leaves a program
// nothing to do would have it begin for ever.
const mostRounds = 1 << 12

// step does what a thread's program says next.
func (r *replay) step(id int32, now int64) {
	a := &r.threads[id]
	s := &a.steps[a.next]
	if s.op == turn {
		now = max(now, a.base+a.late+max(r.length/mostRounds, 1))
		a.next, a.base = 0, now-a.late
		if len(a.steps) > 1 { // else it takes no lock
			r.plan(id, a.base)
		}
		return
	}
	on := r.stripe(a, s)
	switch l := &r.locks[on]; {
	case l.gone:
		if s.op == take {
			r.out.taken[r.window(now)]++
		}
	case s.op == take:
		if !r.take(id, on, s, now) {
			return
		}
	default:
		l.holders--
		r.handOver(on, now)
	}
	a.next++
	r.plan(id, now)
}

// take takes a lock, or queues; false when the thread has to wait.
func (r *replay) take(id, on int32, s *step, now int64) bool {
	a, l := &r.threads[id], &r.locks[on]
	g, reader := &s.got, r.reads(s)
	if l.admits(reader) && (l.first == 0 && !g.unseen || l.first > 0 && g.barges) {
		r.enter(id, on, reader, now)
		r.handOver(on, now)
		return true
	}
	a.since, a.rank = now, now+g.lag
	r.queueUp(l, id)
	r.handOver(on, now)
	return false
}

// queueUp puts a thread among the waiters for a lock: at their end mostly.
func (r *replay) queueUp(l *lock, id int32) {
	a, at := &r.threads[id], &l.first
	if l.first > 0 && r.threads[l.last-1].rank <= a.rank {
		at = &r.threads[l.last-1].behind
	}
	for *at > 0 && r.threads[*at-1].rank <= a.rank {
		at = &r.threads[*at-1].behind
	}
	if a.behind, *at = *at, id+1; a.behind == 0 {
		l.last = id + 1
	}
}

// enter gives a lock to a thread.
func (r *replay) enter(id, on int32, reader bool, now int64) {
	l := &r.locks[on]
	l.holders, l.shared, l.owner = l.holders+1, reader, id
	r.out.taken[r.window(now)]++
}

// handOver counts how long a lock is free before its next waiter gets it, after
// something has changed.
func (r *replay) handOver(on int32, now int64) {
	l := &r.locks[on]
	if l.first == 0 {
		l.counted, l.due = 0, 0
		return
	}
	if l.first != l.counted {
		l.counted, l.due, l.left = l.first, 0, r.needs(l, now)
	}
	a := &r.threads[l.first-1]
	switch free := l.admits(r.reads(&a.steps[a.next])); {
	case free && l.due == 0:
		l.since, l.due = now, r.due.push(now+l.left, granting, ^on)
	case !free && l.due > 0:
		l.left, l.due = l.left-(now-l.since), 0
		if l.yields--; l.yields == 0 {
			l.left = max(l.left-margin, 0)
		}
	}
}

// needs returns how long a lock is free before its next waiter gets it.
func (r *replay) needs(l *lock, now int64) int64 {
	a := &r.threads[l.first-1]
	g := &a.steps[a.next].got
	free := g.free
	if !g.waited {
		free = l.typical
	}
	if l.yields = g.yields; g.yields > 0 {
		free += margin
	}
	if now < a.rank && free <= g.passed {
		free, l.yields = g.passed+1, 0 // others may come yet
	}
	if r.loop.likely {
		free = int64(float64(free) * (1 - (1-r.change.keep)*r.change.share[l.of]))
	}
	return free
}

// grant hands a free lock to its next waiter.
func (r *replay) grant(on int32, now int64) {
	l := &r.locks[on]
	id := l.first - 1
	a := &r.threads[id]
	l.first = a.behind
	r.enter(id, on, r.reads(&a.steps[a.next]), now)
	r.out.waited[r.window(now)] += now - a.since
	a.next++
	r.plan(id, now)
	l.counted, l.due = 0, 0
	r.handOver(on, now)
}

func (r *replay) reads(s *step) bool { return r.change.reads(s.mode == format.Shared, s.section) }

func (r *replay) window(now int64) int64 { return min(now/max(r.length/windows, 1), windows-1) }

func (l *lock) admits(reader bool) bool {
	return l.holders < max(l.permits, 1) || l.shared && reader
}

// stripe returns the lock, or which of its stripes, a step is about. Tenures
// are spread over stripes as by a good hash function.
func (r *replay) stripe(a *actor, s *step) int32 {
	n := r.stripes[s.lock]
	if n.count == 1 {
		return n.first
	}
	h := (uint64(a.thread)<<32 | uint64(s.number)) + uint64(a.base)
	return n.first + n.pick(h)
}

// pick returns one of the stripes, spread as by a good hash function.
func (s stripes) pick(h uint64) int32 {
	h = (h ^ h>>31) * 0x9e3779b97f4a7c15
	return int32(h>>33) % s.count
}
