package whatif

import "contend/format"

// outcome is the result of a replay.
type outcome struct {
	taken  [windows]int64 // acquisitions, by window
	waited [windows]int64 // ns, by the window in which the wait ended
	stuck  bool           // threads deadlock
}

func (o *outcome) merge(part *outcome) {
	for i := range windows {
		o.taken[i] += part.taken[i]
		o.waited[i] += part.waited[i]
	}
	o.stuck = o.stuck || part.stuck
}

// divide turns a sum of n outcomes into their mean.
func (o *outcome) divide(of int64) {
	for i := range windows {
		o.taken[i], o.waited[i] = o.taken[i]/of, o.waited[i]/of
	}
}

// replay runs the programs of a part for length nanoseconds: a thread at the end of its
// program restarts it. Locks are handed over as in the trace.
type replay struct {
	length  int64
	change  *effect
	loop    loop
	threads []actor
	stripes []stripes // by lock of the part
	locks   []lock
	due     *queue
	out     outcome
}

// loop is the assumption about times that a trace does not explain. In a closed loop an idle
// time keeps its length.
type loop struct {
	open   bool // an idle time that an external event ended ends no earlier than in the trace
	likely bool // the section owns time without a known owner as often as other time
}

// actor is a thread of a replay.
type actor struct {
	program    *program
	next       int
	base       int64 // when its program started this time
	since      int64 // begin of its wait
	rank       int64 // arrival that explains its place in the queue if the lock serves in order of arrival
	nextWaiter int32 // the thread behind it in the queue, plus one; 0 for none
}

// lock is a lock of a replay, or a stripe of one.
type lock struct {
	of      int32 // the lock of the trace
	holders int
	permits int  // of a semaphore
	shared  bool // its owners are readers
	removed bool
	first   int32 // the next waiter plus one; 0 for none
	last    int32 // the last waiter plus one
	owner   int32 // the thread that acquired it last
	typical int64 // median hand-over time, ns

	counted    int32  // the waiter whose hand-over is in progress, plus one
	freeLeft   int64  // time for which the lock must still be free, ns
	overtakers int32  // threads that acquire it before the waiter, if they arrive
	freeSince  int64  // since when it is free
	due        uint32 // seq of the grant; 0 while the lock is not free
}

func (r *replay) run() outcome {
	r.due = newQueue(len(r.threads)+len(r.locks), r.length)
	for i := range r.threads {
		r.schedule(int32(i), 0)
	}
	for e, ok := r.due.pop(); ok && e.at < r.length; e, ok = r.due.pop() {
		if e.id >= 0 {
			r.step(e.id, e.at)
		} else if r.locks[^e.id].due == e.seq {
			r.grant(^e.id, e.at)
		}
	}
	for i := range r.locks {
		for id := r.locks[i].first; id > 0; id = r.threads[id-1].nextWaiter {
			r.out.waited[windows-1] += max(r.length-r.threads[id-1].since, 0)
		}
	}
	r.out.stuck = r.deadlocked()
	return r.out
}

// deadlocked reports whether threads wait for each other in a cycle.
func (r *replay) deadlocked() bool {
	waits := make([]int32, len(r.threads)) // by thread: its lock plus one
	for l := range r.locks {
		for id := r.locks[l].first; id > 0; id = r.threads[id-1].nextWaiter {
			waits[id-1] = int32(l) + 1
		}
	}
	seen := make([]int32, len(r.threads)) // by thread: the start of the path that visited it, plus one
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

// schedule pushes the next step of a thread.
func (r *replay) schedule(id int32, now int64) {
	a := &r.threads[id]
	s := &a.program.steps[a.next]
	busy, idle := r.change.shrunk(s.inside, s.busy), r.change.shrunk(s.inside, s.idle)
	at := now + busy + idle
	if r.loop.open && s.external && s.inside == outside {
		at = max(now+busy, a.base+s.at)
	}
	turn := releasing
	if s.op == acquire {
		turn = arriving
	}
	r.due.push(at, turn, id)
}

// maxRounds bounds how often a thread restarts its program. The trace has one round, and less
// waiting gives a few more; a change that leaves a program without work would restart it for
// ever.
const maxRounds = 1 << 12

// step executes the next step of a thread.
func (r *replay) step(id int32, now int64) {
	a := &r.threads[id]
	s := &a.program.steps[a.next]
	if s.op == restart {
		now = max(now, a.base+a.program.startDelay+max(r.length/maxRounds, 1))
		a.next, a.base = 0, now-a.program.startDelay
		if len(a.program.steps) > 1 { // else it acquires no lock
			r.schedule(id, a.base)
		}
		return
	}
	on := r.stripe(a, s)
	switch l := &r.locks[on]; {
	case l.removed:
		if s.op == acquire {
			r.out.taken[r.window(now)]++
		}
	case s.op == acquire:
		if !r.acquire(id, on, s, now) {
			return
		}
	default:
		l.holders--
		r.handOver(on, now)
	}
	a.next++
	r.schedule(id, now)
}

// acquire acquires a lock or queues for it; false if the thread has to wait.
func (r *replay) acquire(id, on int32, s *step, now int64) bool {
	a, l := &r.threads[id], &r.locks[on]
	g, reader := &s.hold.acquired, r.reads(s)
	if l.admits(reader) && (l.first == 0 && !g.hiddenOwner || l.first > 0 && g.barges) {
		r.enter(id, on, reader, now)
		r.handOver(on, now)
		return true
	}
	a.since, a.rank = now, now+g.lag
	r.queueUp(l, id)
	r.handOver(on, now)
	return false
}

// queueUp inserts a thread into the queue of a lock by rank, mostly at its end.
func (r *replay) queueUp(l *lock, id int32) {
	a, at := &r.threads[id], &l.first
	if l.first > 0 && r.threads[l.last-1].rank <= a.rank {
		at = &r.threads[l.last-1].nextWaiter
	}
	for *at > 0 && r.threads[*at-1].rank <= a.rank {
		at = &r.threads[*at-1].nextWaiter
	}
	a.nextWaiter, *at = *at, id+1
	if a.nextWaiter == 0 {
		l.last = id + 1
	}
}

// enter makes a thread an owner of a lock.
func (r *replay) enter(id, on int32, reader bool, now int64) {
	l := &r.locks[on]
	l.holders++
	l.shared = reader
	l.owner = id
	r.out.taken[r.window(now)]++
}

// handOver measures for how long a lock is free before its next waiter gets it. It is called
// after each change of the lock.
func (r *replay) handOver(on int32, now int64) {
	l := &r.locks[on]
	if l.first == 0 {
		l.counted, l.due = 0, 0
		return
	}
	if l.first != l.counted {
		l.counted = l.first
		l.due = 0
		l.freeLeft = r.freeTime(l, now)
	}
	a := &r.threads[l.first-1]
	switch free := l.admits(r.reads(&a.program.steps[a.next])); {
	case free && l.due == 0:
		l.freeSince, l.due = now, r.due.push(now+l.freeLeft, granting, ^on)
	case !free && l.due > 0:
		l.freeLeft, l.due = l.freeLeft-(now-l.freeSince), 0
		if l.overtakers--; l.overtakers == 0 {
			l.freeLeft = max(l.freeLeft-clockMargin, 0)
		}
	}
}

// freeTime returns for how long a lock is free before its next waiter gets it, ns.
func (r *replay) freeTime(l *lock, now int64) int64 {
	a := &r.threads[l.first-1]
	g := &a.program.steps[a.next].hold.acquired
	free := g.free
	if !g.waited {
		free = l.typical
	}
	l.overtakers = g.overtakers
	if g.overtakers > 0 {
		free += clockMargin
	}
	if now < a.rank && free <= g.freeBefore {
		free, l.overtakers = g.freeBefore+1, 0 // others may still arrive
	}
	if r.loop.likely {
		free = int64(float64(free) * (1 - (1-r.change.keep)*r.change.share[l.of]))
	}
	return free
}

// grant gives a free lock to its next waiter.
func (r *replay) grant(on int32, now int64) {
	l := &r.locks[on]
	id := l.first - 1
	a := &r.threads[id]
	l.first = a.nextWaiter
	r.enter(id, on, r.reads(&a.program.steps[a.next]), now)
	r.out.waited[r.window(now)] += now - a.since
	a.next++
	r.schedule(id, now)
	l.counted, l.due = 0, 0
	r.handOver(on, now)
}

func (r *replay) reads(s *step) bool {
	return r.change.reads(s.hold.mode == format.Shared, s.hold.section)
}

func (r *replay) window(now int64) int64 { return min(now/max(r.length/windows, 1), windows-1) }

func (l *lock) admits(reader bool) bool {
	return l.holders < max(l.permits, 1) || l.shared && reader
}

// stripe returns the lock, or the stripe, of a step. Holds are spread over stripes by a hash.
func (r *replay) stripe(a *actor, s *step) int32 {
	n := r.stripes[s.lock]
	if n.count == 1 {
		return n.first
	}
	h := (uint64(a.program.thread)<<32 | uint64(s.hold.number)) + uint64(a.base)
	return n.first + n.pick(h)
}

// pick returns one of the stripes, by a hash.
func (s stripes) pick(h uint64) int32 {
	h = (h ^ h>>31) * 0x9e3779b97f4a7c15
	return int32(h>>33) % s.count
}
