package whatif

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

// windows are the parts of a replay that are compared, for how much they vary.
const windows = 10

func sum(parts *[windows]int64) (n int64) {
	for _, w := range parts {
		n += w
	}
	return n
}

// replay runs the programs of the threads of a part over again, for length
// nanoseconds: a thread at the end of its program begins anew. Locks are given to
// those who wait in order of arrival, readers that follow each other together,
// handoff nanoseconds after they were free.
type replay struct {
	length  int64
	change  *effect
	open    bool // idle times end when they did in the trace, or later
	barges  bool // who comes takes a free lock, though another one was woken for it
	threads []actor
	stripes []stripes // by lock of the trace
	locks   []lock
	due     *queue
	out     outcome
}

// actor is a thread of a replay.
type actor struct {
	*program
	next   int
	base   int64 // when its program began this time
	since  int64 // when it began to wait
	behind int32 // who waits behind it, counted from 1
}

// lock is a lock of a replay, or a stripe of one.
type lock struct {
	holders     int
	permits     int  // how many may have it at once who do not share it: of a semaphore
	shared      bool // those who hold it are readers
	gone        bool
	granting    bool
	first, last int32   // who waits longest, and who came last, counted from 1
	owner       int32   // who took it last
	handoff     []int64 // how long it takes each time until the next has it, over and over
	handed      int
}

// wait puts a thread behind those who wait for a lock.
func (r *replay) wait(l *lock, id int32) {
	r.threads[id].behind = 0
	if l.first == 0 {
		l.first = id + 1
	} else {
		r.threads[l.last-1].behind = id + 1
	}
	l.last = id + 1
}

// nextHandoff returns how long the lock is free before who waits has it. All that
// was seen comes again: the few long ones make up most of the time.
func (l *lock) nextHandoff() int64 {
	if len(l.handoff) == 0 {
		return 0
	}
	l.handed++
	return l.handoff[(l.handed-1)%len(l.handoff)]
}

func (r *replay) run() outcome {
	r.due = newQueue(len(r.threads), len(r.locks), r.length)
	for i := range r.threads {
		r.plan(int32(i), 0)
	}
	for e, ok := r.due.pop(); ok && e.at < r.length; e, ok = r.due.pop() {
		if e.id < 0 {
			r.grant(^e.id, e.at)
		} else {
			r.step(e.id, e.at)
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
	if a.fixed && s.op == take || r.open && s.comes && s.inside == outside {
		at = max(now+busy, a.base+s.at)
	}
	r.due.push(at, id)
}

// step does what a thread's program says next.
func (r *replay) step(id int32, now int64) {
	a := &r.threads[id]
	s := &a.steps[a.next]
	if s.op == turn {
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
		if !r.take(id, l, r.reads(s), now) {
			return
		}
	default:
		r.give(l, on, now)
	}
	a.next++
	r.plan(id, now)
}

// take takes a lock, or queues; false when the thread has to wait.
func (r *replay) take(id int32, l *lock, reader bool, now int64) bool {
	if (l.first == 0 && !l.granting || r.barges) && l.admits(reader) {
		l.enter(id, reader)
		r.out.taken[r.window(now)]++
		return true
	}
	r.threads[id].since = now
	r.wait(l, id)
	return false
}

func (r *replay) reads(s *step) bool { return r.change.reads(s.readable, s.section) }

func (r *replay) window(now int64) int64 { return min(now/max(r.length/windows, 1), windows-1) }

func (l *lock) admits(reader bool) bool {
	return l.holders < max(l.permits, 1) || l.shared && reader
}

func (l *lock) enter(id int32, reader bool) {
	l.holders, l.shared, l.owner = l.holders+1, reader, id
}

// stripe returns the lock, or which of its stripes, a step is about. Tenures
// are spread over stripes as by a good hash function.
func (r *replay) stripe(a *actor, s *step) int32 {
	n := r.stripes[s.lock]
	if n.count == 1 {
		return n.first
	}
	h := (uint64(a.id)<<32 | uint64(s.number)) + uint64(a.base)
	return n.first + n.pick(h)
}

// pick returns one of the stripes, spread as by a good hash function.
func (s stripes) pick(h uint64) int32 {
	h = (h ^ h>>31) * 0x9e3779b97f4a7c15
	return int32(h>>33) % s.count
}

func (r *replay) give(l *lock, on int32, now int64) {
	l.holders--
	if l.holders < max(l.permits, 1) && l.first > 0 && !l.granting {
		l.granting = true
		r.due.push(now+l.nextHandoff(), ^on)
	}
}

// grant hands a free lock to the head of its queue.
func (r *replay) grant(on int32, now int64) {
	l := &r.locks[on]
	l.granting = false
	for l.first > 0 {
		id := l.first - 1
		a := &r.threads[id]
		reader := r.reads(&a.steps[a.next])
		if !l.admits(reader) {
			return
		}
		l.first = a.behind
		l.enter(id, reader)
		r.out.waited[r.window(now)] += now - a.since
		r.out.taken[r.window(now)]++
		a.next++
		r.plan(id, now)
	}
}
