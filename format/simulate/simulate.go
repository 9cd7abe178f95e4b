package simulate

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"contend/format"
)

// Config of a run.
type Config struct {
	Scenario string
	Threads  int   // 0 means 8
	Locks    int   // of the scenarios that take any number; 0 means 4
	Duration int64 // simulated nanoseconds; 0 means 10 s
	Events   int64 // stop after this many sampled contention events, if not 0
	Period   int64 // between samples; 0 means 10 ms
	Handoff  int64 // between a release and the next owner's start
	Stall    int64 // every hundredth sample comes this much late
	Start    int64 // of the run, since the epoch
	Seed     uint64

	Slow   string // critical sections of this method take SlowBy percent longer
	SlowBy int64
}

// Scenarios returns the names of the scenarios, with a line on each.
func Scenarios() (names, about []string) {
	for _, s := range scenarios {
		names, about = append(names, s.name), append(about, s.about)
	}
	return names, about
}

// Run simulates and writes the exact and the sampled trace; either sink may be nil. It is
// deterministic for a Config, and needs memory for its threads and locks only. The error is
// an unknown scenario, or the first error of a sink.
func Run(c Config, exact, sampled format.Sink) (*Truth, error) {
	c.defaults()
	i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == c.Scenario })
	if i < 0 {
		names, _ := Scenarios()
		return nil, fmt.Errorf("there is no scenario %q; choose from %s", c.Scenario, strings.Join(names, ", "))
	}
	w := newWorld(&c, exact, sampled)
	programs := scenarios[i].build(&c, w.rng)
	c.slow(programs)
	w.populate(programs)
	w.loop()
	return w.finish(), w.err
}

func (c *Config) defaults() {
	c.Duration = cmp.Or(max(c.Duration, 0), 10e9)
	c.Period = cmp.Or(max(c.Period, 0), 10e6)
	c.Start = cmp.Or(max(c.Start, 0), 1_700_000_000e9)
	c.Threads = cmp.Or(max(c.Threads, 0), 8)
	c.Locks = cmp.Or(max(c.Locks, 0), 4)
}

// slow lengthens the running time inside the critical sections named Slow, up to the next
// acquisition or release.
func (c *Config) slow(programs []program) {
	for _, p := range programs {
		inside := false
		for i := range p.steps {
			switch s := &p.steps[i]; s.op {
			case opAcquire:
				inside = c.Slow != "" && s.method == c.Slow
			case opRelease:
				inside = false
			case opRun:
				if inside {
					s.d += s.d * c.SlowBy / 100
				}
			}
		}
	}
}

// thread is one simulated thread.
type thread struct {
	id      format.ThreadID
	name    string
	steps   []step
	pc      int
	blocked int // lock it waits for, -1 for none
	mode    format.Mode
	since   int64
	stack   format.StackID
	idle    bool
	ended   bool
	again   bool // re-acquires the lock after a condition
	why     format.Activity
	wake    wake // in the queue once at most
}

// hold is a thread's hold of a lock.
type hold struct {
	thread *thread
	since  int64
	stack  format.StackID
	mode   format.Mode
}

// lock is one simulated lock, granted in order of arrival.
type lock struct {
	id       format.ObjectID
	class    string
	holders  []hold
	queue    []*thread
	waitset  []*thread
	granting bool
	last     format.ThreadID
	truth    LockTruth
	wake     wake // in the queue while granting
}

// wake is a thread, or a lock to be handed over, due at a time.
type wake struct {
	at     int64
	seq    int64
	thread *thread
	lock   *lock
}

// wakes are ordered by time, then by the order of scheduling.
type wakes []*wake

func (h wakes) Len() int      { return len(h) }
func (h wakes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *wakes) Push(x any)   { *h = append(*h, x.(*wake)) }
func (h *wakes) Pop() any     { n := len(*h) - 1; x := (*h)[n]; *h = (*h)[:n]; return x }
func (h wakes) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

// world is a run in progress.
type world struct {
	c       *Config
	rng     *rand.Rand
	exact   format.Sink
	sampled format.Sink
	threads []*thread
	locks   []*lock
	queue   wakes
	seq     int64
	now     int64
	end     int64
	sampler sampler
	truth   *Truth
	stacks  map[string]format.StackID
	names   []string  // by stack
	path    []*thread // scratch of charge
	ev      format.Event
	err     error
}

func newWorld(c *Config, exact, sampled format.Sink) *world {
	return &world{
		c:       c,
		rng:     rand.New(rand.NewPCG(c.Seed, 0x636f6e74656e64)),
		exact:   exact,
		sampled: sampled,
		now:     c.Start,
		end:     c.Start + c.Duration,
		truth:   newTruth(),
		stacks:  map[string]format.StackID{},
		names:   []string{""},
		path:    make([]*thread, 0, 16),
		sampler: sampler{next: c.Start + c.Period/2, intended: c.Start + c.Period/2},
	}
}

// loop handles changes in order of time, with samples in between.
func (w *world) loop() {
	for len(w.queue) > 0 && w.queue[0].at < w.end && w.err == nil && !w.enough() {
		next := heap.Pop(&w.queue).(*wake)
		w.advance(next.at)
		if next.lock != nil {
			w.grant(next.lock)
		} else {
			w.resume(next.thread)
		}
	}
	if !w.enough() {
		w.advance(w.end)
	}
}

func (w *world) enough() bool { return w.c.Events > 0 && w.sampler.contentions >= w.c.Events }

// advance charges the time up to t and takes the samples due in it.
func (w *world) advance(t int64) {
	for w.sampler.next < t && w.err == nil && !w.enough() {
		at := w.sampler.next
		w.charge(at)
		w.sample()
	}
	if !w.enough() {
		w.charge(t)
	}
}

// resume runs a thread's program until the thread has to wait.
func (w *world) resume(t *thread) {
	if t.idle {
		w.wakeUp(t)
		if t.again {
			t.again = false
			if !w.acquire(t, w.locks[t.steps[t.pc].lock], t.mode, t.stack) {
				t.pc++
				return
			}
			t.pc++
		}
	}
	for w.step(t) {
	}
}

// step executes the next instruction; false if the thread has to wait.
func (w *world) step(t *thread) bool {
	s := &t.steps[t.pc%len(t.steps)]
	t.pc = t.pc%len(t.steps) + 1
	switch s.op {
	case opRun:
		w.schedule(t, w.vary(s.d))
		return false
	case opAcquire:
		return w.acquire(t, w.locks[s.lock], s.mode, w.stack(s.method))
	case opRelease:
		w.release(t, w.locks[s.lock])
	case opSleep:
		w.rest(t, format.ActivitySleep)
		w.schedule(t, w.vary(s.d))
		return false
	case opAwait:
		t.pc-- // re-acquires the lock before it continues
		l := w.locks[s.lock]
		t.stack = l.holders[l.held(t)].stack
		t.mode = format.Exclusive
		t.again = true
		w.release(t, l)
		w.rest(t, format.ActivityWait)
		l.waitset = append(l.waitset, t)
		return false
	case opNotify:
		l := w.locks[s.lock]
		for _, o := range l.waitset {
			w.schedule(o, 0)
		}
		l.waitset = l.waitset[:0]
	case opPark:
		w.rest(t, format.ActivityPark)
		return false
	case opEnd:
		t.ended = true
		w.write(w.exact, format.Event{Kind: format.KindThreadEnd, Thread: t.id, Time: w.now})
		return false
	}
	return true
}

// vary draws a duration around a mean, between half and one and a half of it.
func (w *world) vary(d int64) int64 {
	if d <= 1 || w.c.Scenario == "ping-pong" {
		return d
	}
	return d/2 + w.rng.Int64N(d)
}

func (w *world) schedule(t *thread, d int64) {
	w.seq++
	t.wake = wake{at: w.now + d, seq: w.seq, thread: t}
	heap.Push(&w.queue, &t.wake)
}

func (w *world) rest(t *thread, why format.Activity) {
	t.idle = true
	t.since = w.now
	t.why = why
}

func (w *world) wakeUp(t *thread) {
	t.idle = false
	w.write(w.exact, format.Event{Kind: format.KindActivity, Thread: t.id, Time: t.since, End: w.now, Activity: t.why})
}

// acquire acquires a lock, or queues; false if the thread has to wait.
func (w *world) acquire(t *thread, l *lock, m format.Mode, stack format.StackID) bool {
	t.stack = stack
	if len(l.queue) == 0 && !l.granting && l.admits(m) {
		l.holders = append(l.holders, hold{t, w.now, stack, m})
		return true
	}
	t.blocked = int(l.id) - 1
	t.mode = m
	t.since = w.now
	l.queue = append(l.queue, t)
	return false
}

// admits reports whether one more holder is compatible with the current ones.
func (l *lock) admits(m format.Mode) bool {
	return len(l.holders) == 0 || m == format.Shared && l.holders[0].mode == format.Shared
}

// held returns the index of a thread among the holders of a lock.
func (l *lock) held(t *thread) int {
	return slices.IndexFunc(l.holders, func(h hold) bool { return h.thread == t })
}

func (w *world) release(t *thread, l *lock) {
	i := l.held(t)
	w.tenure(l, &l.holders[i], w.now)
	l.last = t.id
	l.holders = slices.Delete(l.holders, i, i+1)
	if len(l.queue) > 0 && len(l.holders) == 0 && !l.granting {
		l.granting = true
		w.seq++
		l.wake = wake{at: w.now + w.c.Handoff, seq: w.seq, lock: l}
		heap.Push(&w.queue, &l.wake)
	}
}

func (w *world) tenure(l *lock, h *hold, end int64) {
	w.write(
		w.exact,
		format.Event{
			Kind:   format.KindTenure,
			Thread: h.thread.id,
			Object: l.id,
			Mode:   h.mode,
			Time:   h.since,
			End:    w.now,
			Stack:  h.stack,
		},
	)
}

// grant hands a free lock to the head of its queue; readers in a row enter
// together.
func (w *world) grant(l *lock) {
	l.granting = false
	for len(l.queue) > 0 && l.admits(l.queue[0].mode) {
		t := l.queue[0]
		l.queue = slices.Delete(l.queue, 0, 1)
		w.waited(t, l, l.last)
		t.blocked = -1
		l.holders = append(l.holders, hold{t, w.now, t.stack, t.mode})
		w.schedule(t, 0)
	}
}

// waited ends a wait of a thread; previous is who had the lock before, NoThread if the thread did not get it.
func (w *world) waited(t *thread, l *lock, previous format.ThreadID) {
	l.truth.Waits++
	l.truth.WaitNs += w.now - t.since
	w.write(
		w.exact,
		format.Event{
			Kind:   format.KindWait,
			Thread: t.id,
			Object: l.id,
			Mode:   t.mode,
			Time:   t.since,
			End:    w.now,
			Stack:  t.stack,
			Owner:  previous,
		},
	)
}

// write gives a sink a copy of an event; a nil sink takes nothing.
func (w *world) write(to format.Sink, ev format.Event) {
	if to == nil || w.err != nil {
		return
	}
	w.ev = ev
	w.err = to.Write(&w.ev)
}
