package analysis

import (
	"contend/analysis/owners"
	"contend/format"
)

// sampler turns contention events into slices as they are read. It holds one tick back,
// because a tick's reach depends on the next one. Its memory does not grow with the trace.
type sampler struct {
	rec *record
	e   *emitter
	g   graph

	any, ticked bool // there were samples
	samples     int  // ticks, or instants without ticks
	owned       bool // some lock had an owner
	unowned     bool // some lock had none
	threads     int  // maximum of threads alive at one tick of this input
	before      int  // sum of these maxima for earlier inputs

	cur           *instant
	next          *instant // until it is read: scratch
	stalls        stalls
	measured      measured
	prev          int64 // time of the tick before cur; NoTime at the start
	edge          int64 // end of what is charged
	period        int64
	periodKnown   bool // the recorder of this input states its period
	inner         bool // ticks stand for no time before the first or after the last
	intervals     intervalMedian
	intended      int64
	start, end    int64
	covered       span   // the interval that this input's samples stand for, from first to last
	coveredBefore []span // the same of earlier inputs

	number   uint64     // of the booking, one for each tick
	last     []lastSeen // by thread
	idleSums map[idleState]*idleSum
	sleeps   sampledSleeps
	modes    []format.Mode     // by thread
	nodes    []format.ThreadID // threads blocked in the graph, each as often as it counts
	links    []format.ThreadID // and those that do not count
	held     []format.ObjectID // locks owned in the graph
	waiters  []Waiter          // scratch of collect
	group    []format.ThreadID
	added    []int64 // scratch of runMore
}

// lastSeen is the wait in which a thread was last sampled. The same lock and stack at
// successive ticks are one wait.
type lastSeen struct {
	tick  uint64 // number of the booking
	first bool   // it was not seen so at the tick before
	lock  format.ObjectID
	stack format.StackID
}

func newSampler(rec *record, e *emitter, c *cycles) *sampler {
	return &sampler{rec: rec, e: e, g: graph{cycles: c, hops: &e.out.hops}, cur: &instant{}, next: &instant{}, prev: format.NoTime, intended: format.NoTime, covered: span{format.NoTime, format.NoTime}}
}

// build makes the wait-for graph of cur. A thread can wait for one lock only: the first one
// counts. If it is listed there several times, it stands for as many threads.
func (s *sampler) build() {
	for i := range s.cur.locks {
		in := &s.cur.locks[i]
		s.room(in)
		if len(s.g.owners[in.lock]) == 0 {
			s.held = append(s.held, in.lock)
			for _, o := range in.owners {
				h := owners.Holder{Kind: OwnerThread, Prov: Sampled, Thread: o.Thread, Stack: o.Stack}
				if o.Thread == format.NoThread {
					h = owners.Holder{Kind: OwnerUnknown, Prov: Unknown}
				}
				s.g.own(in.lock, h)
			}
		}
		for j, w := range in.waiters {
			again := j > 0 && in.waiters[j-1] == w && s.g.blocked[w.Thread].lock == in.lock
			switch {
			case w.Thread == format.NoThread || !again && s.g.blocked[w.Thread].lock != format.NoObject:
				continue
			case in.links:
				s.links = append(s.links, w.Thread)
			default:
				s.nodes = append(s.nodes, w.Thread)
			}
			s.g.blocked[w.Thread] = blocked{in.lock, w.Stack}
			s.modes[w.Thread] = w.Mode
		}
	}
}

// room extends the tables to the ids of one event, which it bounds.
func (s *sampler) room(in *contendedLock) {
	in.lock = min(in.lock, owners.MaxID)
	top := format.ThreadID(0)
	for _, list := range [...][]format.Party{in.owners, in.waiters} {
		for i := range list {
			list[i].Thread = min(list[i].Thread, owners.MaxID)
			top = max(top, list[i].Thread)
		}
	}
	for len(s.g.owners) <= int(in.lock) {
		s.g.owners = append(s.g.owners, nil)
		s.g.gap = append(s.g.gap, Owner{Kind: OwnerHandoff, Prov: Sampled})
	}
	if n := int(top) + 1 - len(s.g.blocked); n > 0 {
		s.g.blocked = append(s.g.blocked, make([]blocked, n)...)
		s.last = append(s.last, make([]lastSeen, n)...)
		s.modes = append(s.modes, make([]format.Mode, n)...)
	}
}

// count returns the number of threads that ran at cur, blocked ones included.
func (s *sampler) count() int64 {
	waiting := int64(len(s.nodes))
	live := max(int64(s.cur.live), waiting)
	s.threads = max(s.threads, int(live))
	return max(live-int64(s.cur.idle), waiting)
}

func (s *sampler) clear() {
	for _, list := range [...][]format.ThreadID{s.nodes, s.links} {
		for _, t := range list {
			s.g.blocked[t] = blocked{}
		}
	}
	for _, l := range s.held {
		s.g.owners[l] = s.g.owners[l][:0]
	}
	s.nodes, s.links, s.held = s.nodes[:0], s.links[:0], s.held[:0]
}

// bounds widens [start, end) to what was charged.
func (s *sampler) bounds(start, end int64) (int64, int64) {
	if start == 0 && end == 0 {
		return s.start, s.end
	}
	return min(start, s.start), max(end, s.end)
}

// recorded returns, by input, the interval that its samples stand for. Time between inputs
// is in none.
func (s *sampler) recorded() []span {
	if s.covered.start == format.NoTime {
		return s.coveredBefore
	}
	return append(s.coveredBefore, s.covered)
}

// reachCap is how far, in periods, a tick reaches at most. It reaches half way to its
// neighbours otherwise; time beyond was not observed. The period is what the recorder
// states, else the median interval between intended instants: the shortest is far too short
// if a recorder draws them at random, and stalls are among the longest.
const reachCap = 10

// reach returns the interval that cur stands for; near is the interval without gaps around
// it.
func (s *sampler) reach(next int64, near span) (lo, hi int64) {
	t := s.cur.time
	half := max(s.period, 1) / 2
	farthest := reachCap * max(s.period, 1)
	lo, hi = t-half, t+half
	if s.inner {
		lo, hi = t, t
	}
	if s.prev != format.NoTime {
		lo = max(s.prev+(t-s.prev)/2, t-farthest)
	} else if next != format.NoTime && !s.inner {
		lo = t - min((next-t)/2, farthest)
	}
	if next != format.NoTime {
		hi = min(t+(next-t)/2, t+farthest)
	}
	lo = max(lo, s.edge)
	if s.cur.weight > 0 {
		hi = lo + s.cur.weight
	}
	in := s.rec.part()
	if own := s.rec.recorded[in.recorded:]; len(own) > 0 && s.prev == format.NoTime && lo < own[0].start && t >= own[0].start {
		lo = own[0].start
	}
	if near.start != format.NoTime { // never across a gap
		lo = max(lo, near.start)
	}
	if near.end != format.NoTime {
		hi = min(hi, near.end)
	}
	return lo, max(lo, hi)
}

// tickBefore returns the tick before cur. A tick beyond a gap, or beyond the cut of the
// filter, does not count: nothing shows whether a wait continued there.
func (s *sampler) tickBefore(near span) int64 {
	if s.e.from > s.e.start && s.edge <= s.e.from || near.start != format.NoTime && near.start > s.prev {
		return format.NoTime
	}
	return s.prev
}

// tickAfter returns the tick after cur, which stands for time up to hi, by the same rule.
func (s *sampler) tickAfter(next, hi int64, near span) int64 {
	if hi >= s.e.to || near.end != format.NoTime && near.end < next {
		return format.NoTime
	}
	return next
}

// sample returns cur with its neighbours. Samples are in order of time only if no other
// input can follow.
func (s *sampler) sample(before, after int64) Sample {
	at := s.cur.time
	return Sample{Taken: true, InOrder: len(s.rec.parts) == 1 && s.rec.Waited() == 0, Before: before, First: at, Last: at, After: after}
}

// tells reports whether the samples tell how many threads ran. Those without ticks beside a
// recording of events, of some threads of it, do not.
func (s *sampler) tells() bool {
	return s.any && (s.ticked || len(s.rec.recorded) == 0 || !s.rec.events)
}

// book charges the graph over [lo, hi), and running time.
func (s *sampler) book(lo, hi, running int64, seen *Sample) {
	s.number++
	if seen.Before == format.NoTime {
		s.number++ // no wait is known to continue from the last booking
	}
	if s.tells() {
		s.e.run(lo, hi, running)
	}
	for rest := s.nodes; len(rest) > 0; {
		n := 1
		for n < len(rest) && s.g.blocked[rest[n]].lock == s.g.blocked[rest[0]].lock {
			n++
		}
		s.emitScaled(rest[:n], lo, hi, seen)
		rest = rest[n:]
	}
}

// emitScaled books the waiters of one lock for the measured duration. What exceeds [lo, hi)
// is booked there again as time in which the lock was free: a JVM shows a waiting thread as
// runnable while the lock has no owner, so that is the time samples miss.
func (s *sampler) emitScaled(nodes []format.ThreadID, lo, hi int64, seen *Sample) {
	length := s.measured.factor(s.g.blocked[nodes[0]].lock).of(hi - lo)
	if s.collect(nodes, lo, min(hi, lo+length), seen, false) {
		s.e.book(&s.g, s.group[0], len(s.group), func() []format.ThreadID { return s.group })
	}
	for rest := length - (hi - lo); rest > 0; rest -= hi - lo {
		if s.collect(nodes, hi-min(rest, hi-lo), hi, seen, true) {
			s.e.bookOwner(&s.g, Owner{Kind: OwnerHandoff, Prov: Sampled}, len(s.waiters)) // the sampler found the lock free
		}
	}
}

// collect makes the slice of one lock's waiters. It returns false if the filter hides all
// of them. again means that this sample has been booked before.
func (s *sampler) collect(nodes []format.ThreadID, lo, hi int64, seen *Sample, again bool) bool {
	lo, hi, ok := s.e.cut(lo, hi)
	lock := s.g.blocked[nodes[0]].lock
	s.waiters, s.group = s.waiters[:0], s.group[:0]
	for i, t := range nodes {
		stack := s.g.blocked[t].stack
		last := &s.last[t]
		repeated := i > 0 && nodes[i-1] == t
		if !repeated && !again {
			last.first = last.tick+1 != s.number || last.lock != lock || last.stack != stack
		}
		first := !again && last.first
		last.tick, last.lock, last.stack = s.number, lock, stack
		if ok && s.e.wanted(t, lock, anyLength) {
			s.waiters = append(s.waiters, Waiter{Thread: t, Stack: stack, Mode: s.modes[t], First: first, Again: repeated})
			s.group = append(s.group, t)
		}
	}
	s.e.slice = Slice{Start: lo, End: hi, Lock: lock, Sample: *seen, Waiters: s.waiters}
	return len(s.group) > 0
}
