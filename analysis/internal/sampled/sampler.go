package sampled

import (
	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/record"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// Sampler turns contention events into slices as they are read. It holds one tick back,
// because a tick's reach depends on the next one. Its memory does not grow with the trace.
type Sampler struct {
	rec *record.Record
	e   *deliver.Emitter
	g   graph.Graph

	Any, ticked   bool // there were samples
	Samples       int  // ticks, or instants without ticks
	owned         bool // some lock had an owner
	unowned       bool // some lock had none
	threads       int  // maximum of threads alive at one tick of this input
	threadsBefore int  // sum of these maxima for earlier inputs

	cur           *instant
	next          *instant // until it is read: scratch
	Stalls        stalls
	Measured      measured
	prev          int64 // time of the tick before cur; NoTime at the start
	edge          int64 // end of what is charged
	period        int64
	periodKnown   bool // the recorder of this input states its period
	inner         bool // ticks stand for no time before the first or after the last
	intervals     intervalMedian
	intended      int64
	start, end    int64
	covered       times.Span   // the interval that this input's samples stand for, from first to last
	CoveredBefore []times.Span // the same of earlier inputs

	number   uint64     // of the booking, one for each tick
	last     []lastSeen // by thread
	idleSums map[idleState]*idleSum
	sleeps   sampledSleeps
	modes    []format.Mode     // by thread
	nodes    []format.ThreadID // threads blocked in the graph, each as often as it counts
	links    []format.ThreadID // and those that do not count
	held     []format.ObjectID // locks owned in the graph
	waiters  []analysis.Waiter // scratch of collect
	slice    analysis.Slice    // scratch: the slice that is booked
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

// New returns a sampler that keeps evidence of owners in rec and books slices with e.
func New(rec *record.Record, e *deliver.Emitter) *Sampler {
	return &Sampler{rec: rec, e: e, g: graph.Graph{Cycles: &e.Cycles, Hops: &e.Out.Hops}, cur: &instant{}, next: &instant{}, prev: format.NoTime, intended: format.NoTime, covered: times.Span{Start: format.NoTime, End: format.NoTime}}
}

// build makes the wait-for graph of cur. A thread can wait for one lock only: the first one
// counts. If it is listed there several times, it stands for as many threads.
func (s *Sampler) build() {
	for i := range s.cur.locks {
		in := &s.cur.locks[i]
		s.room(in)
		if len(s.g.Owners[in.lock]) == 0 {
			s.held = append(s.held, in.lock)
			for _, o := range in.owners {
				h := analysis.Owner{Kind: analysis.OwnerThread, Prov: analysis.Sampled, Thread: o.Thread, Stack: o.Stack}
				if o.Thread == format.NoThread {
					h = analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}
				}
				s.g.Own(in.lock, h)
			}
		}
		for j, w := range in.waiters {
			again := j > 0 && in.waiters[j-1] == w && s.g.Blocked[w.Thread].Lock == in.lock
			switch {
			case w.Thread == format.NoThread || !again && s.g.Blocked[w.Thread].Lock != format.NoObject:
				continue
			case in.links:
				s.links = append(s.links, w.Thread)
			default:
				s.nodes = append(s.nodes, w.Thread)
			}
			s.g.Blocked[w.Thread] = graph.Blocked{Lock: in.lock, Stack: w.Stack}
			s.modes[w.Thread] = w.Mode
		}
	}
}

// room extends the tables to the ids of one event, which it bounds.
func (s *Sampler) room(in *contendedLock) {
	in.lock = min(in.lock, owners.MaxID)
	top := format.ThreadID(0)
	for _, list := range [...][]format.Party{in.owners, in.waiters} {
		for i := range list {
			list[i].Thread = min(list[i].Thread, owners.MaxID)
			top = max(top, list[i].Thread)
		}
	}
	for len(s.g.Owners) <= int(in.lock) {
		s.g.Owners = append(s.g.Owners, nil)
		s.g.Gap = append(s.g.Gap, analysis.Owner{Kind: analysis.OwnerHandoff, Prov: analysis.Sampled})
	}
	if n := int(top) + 1 - len(s.g.Blocked); n > 0 {
		s.g.Blocked = append(s.g.Blocked, make([]graph.Blocked, n)...)
		s.last = append(s.last, make([]lastSeen, n)...)
		s.modes = append(s.modes, make([]format.Mode, n)...)
	}
}

// count returns the number of threads that ran at cur, blocked ones included.
func (s *Sampler) count() int64 {
	waiting := int64(len(s.nodes))
	live := max(int64(s.cur.live), waiting)
	s.threads = max(s.threads, int(live))
	return max(live-int64(s.cur.idle), waiting)
}

func (s *Sampler) clear() {
	for _, list := range [...][]format.ThreadID{s.nodes, s.links} {
		for _, t := range list {
			s.g.Blocked[t] = graph.Blocked{}
		}
	}
	for _, l := range s.held {
		s.g.Owners[l] = s.g.Owners[l][:0]
	}
	s.nodes, s.links, s.held = s.nodes[:0], s.links[:0], s.held[:0]
}

// Bounds widens [start, end) to what was charged.
func (s *Sampler) Bounds(start, end int64) (int64, int64) {
	if start == 0 && end == 0 {
		return s.start, s.end
	}
	return min(start, s.start), max(end, s.end)
}

// Recorded returns, by input, the interval that its samples stand for. Time between inputs
// is in none.
func (s *Sampler) Recorded() []times.Span {
	if s.covered.Start == format.NoTime {
		return s.CoveredBefore
	}
	return append(s.CoveredBefore, s.covered)
}

// reachCap is how far, in periods, a tick reaches at most. It reaches half way to its
// neighbours otherwise; time beyond was not observed. The period is what the recorder
// states, else the median interval between intended instants: the shortest is far too short
// if a recorder draws them at random, and stalls are among the longest.
const reachCap = 10

// reach returns the interval that cur stands for; near is the interval without gaps around
// it.
func (s *Sampler) reach(next int64, near times.Span) (lo, hi int64) {
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
	in := s.rec.Part()
	if own := s.rec.Recorded[in.Recorded:]; len(own) > 0 && s.prev == format.NoTime && lo < own[0].Start && t >= own[0].Start {
		lo = own[0].Start
	}
	if near.Start != format.NoTime { // never across a gap
		lo = max(lo, near.Start)
	}
	if near.End != format.NoTime {
		hi = min(hi, near.End)
	}
	return lo, max(lo, hi)
}

// tickBefore returns the tick before cur. A tick beyond a gap, or beyond the cut of the
// filter, does not count: nothing shows whether a wait continued there.
func (s *Sampler) tickBefore(near times.Span) int64 {
	if s.e.From > s.e.Start && s.edge <= s.e.From || near.Start != format.NoTime && near.Start > s.prev {
		return format.NoTime
	}
	return s.prev
}

// tickAfter returns the tick after cur, which stands for time up to hi, by the same rule.
func (s *Sampler) tickAfter(next, hi int64, near times.Span) int64 {
	if hi >= s.e.To || near.End != format.NoTime && near.End < next {
		return format.NoTime
	}
	return next
}

// sample returns cur with its neighbours. Samples are in order of time only if no other
// input can follow.
func (s *Sampler) sample(before, after int64) analysis.Sample {
	at := s.cur.time
	return analysis.Sample{Taken: true, InOrder: len(s.rec.Parts) == 1 && s.rec.Waited() == 0, Before: before, First: at, Last: at, After: after}
}

// TotalThreads returns the number of threads of all inputs: of each, the most alive at one tick.
func (s *Sampler) TotalThreads() int { return s.threadsBefore + s.threads }

// TellsRunning reports whether the samples tell how many threads ran. Those without ticks beside a
// recording of events, of some threads of it, do not.
func (s *Sampler) TellsRunning() bool {
	return s.Any && (s.ticked || len(s.rec.Recorded) == 0 || !s.rec.Events)
}

// book charges the graph over [lo, hi), and running time.
func (s *Sampler) book(lo, hi, running int64, seen *analysis.Sample) {
	s.number++
	if seen.Before == format.NoTime {
		s.number++ // no wait is known to continue from the last booking
	}
	if s.TellsRunning() {
		s.e.Run(lo, hi, running)
	}
	for rest := s.nodes; len(rest) > 0; {
		n := 1
		for n < len(rest) && s.g.Blocked[rest[n]].Lock == s.g.Blocked[rest[0]].Lock {
			n++
		}
		s.emitScaled(rest[:n], lo, hi, seen)
		rest = rest[n:]
	}
}

// emitScaled books the waiters of one lock for the measured duration. What exceeds [lo, hi)
// is booked there again as time in which the lock was free: a JVM shows a waiting thread as
// runnable while the lock has no owner, so that is the time samples miss.
func (s *Sampler) emitScaled(nodes []format.ThreadID, lo, hi int64, seen *analysis.Sample) {
	length := s.Measured.factor(s.g.Blocked[nodes[0]].Lock).of(hi - lo)
	if s.collect(nodes, lo, min(hi, lo+length), seen, false) {
		s.e.Book(&s.slice, &s.g, s.group[0], len(s.group), func() []format.ThreadID { return s.group })
	}
	for rest := length - (hi - lo); rest > 0; rest -= hi - lo {
		if s.collect(nodes, hi-min(rest, hi-lo), hi, seen, true) {
			s.e.BookOwner(&s.slice, analysis.Owner{Kind: analysis.OwnerHandoff, Prov: analysis.Sampled}, len(s.waiters)) // the sampler found the lock free
		}
	}
}

// collect makes the slice of one lock's waiters. It returns false if the filter hides all
// of them. again means that this sample has been booked before.
func (s *Sampler) collect(nodes []format.ThreadID, lo, hi int64, seen *analysis.Sample, again bool) bool {
	lo, hi, ok := s.e.Cut(lo, hi)
	lock := s.g.Blocked[nodes[0]].Lock
	s.waiters, s.group = s.waiters[:0], s.group[:0]
	for i, t := range nodes {
		stack := s.g.Blocked[t].Stack
		last := &s.last[t]
		repeated := i > 0 && nodes[i-1] == t
		if !repeated && !again {
			last.first = last.tick+1 != s.number || last.lock != lock || last.stack != stack
		}
		first := !again && last.first
		last.tick, last.lock, last.stack = s.number, lock, stack
		if ok && s.e.Wanted(t, lock, deliver.AnyLength) {
			s.waiters = append(s.waiters, analysis.Waiter{Thread: t, Stack: stack, Mode: s.modes[t], First: first, Again: repeated})
			s.group = append(s.group, t)
		}
	}
	s.slice = analysis.Slice{Start: lo, End: hi, Lock: lock, Sample: *seen, Waiters: s.waiters}
	return len(s.group) > 0
}
