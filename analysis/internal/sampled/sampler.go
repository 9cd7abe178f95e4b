package sampled

import (
	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/record"
	"contend/analysis/internal/times"
	"contend/format"
)

// Sampler turns contention events into slices as they are read: it decides when an instant is
// booked, and for which interval. It holds one tick back, because a tick's reach depends on the
// next one. Its memory does not grow with the trace.
type Sampler struct {
	rec    *record.Record
	Booker booker

	Any           bool // there were samples
	ticked        bool // they had ticks
	Samples       int  // ticks, or instants without ticks
	owned         bool // some lock had an owner
	unowned       bool // some lock had none
	threadsBefore int  // sum of booker.threads for earlier inputs

	cur           *instant
	next          *instant // until it is read: scratch
	Stalls        stalls
	prev          int64 // time of the tick before cur; NoTime at the start
	edge          int64 // end of what is charged
	period        int64
	periodKnown   bool // the recorder of this input states its period
	inner         bool // ticks stand for no time before the first or after the last
	sums          bool // contention events are sums of waits
	intervals     intervalMedian
	intended      int64
	start, end    int64
	covered       times.Span   // the interval that this input's samples stand for, from first to last
	CoveredBefore []times.Span // the same of earlier inputs

	idleSums map[idleState]*idleSum
	sleeps   sampledSleeps
}

// New returns a sampler that keeps evidence of owners in rec and books slices with e.
func New(rec *record.Record, e *deliver.Emitter) *Sampler {
	s := &Sampler{
		rec:      rec,
		Booker:   booker{e: e, g: graph.Graph{Cycles: &e.Cycles, Hops: &e.Out.Hops}},
		cur:      &instant{},
		next:     &instant{},
		prev:     format.NoTime,
		intended: format.NoTime,
		covered:  times.Span{Start: format.NoTime, End: format.NoTime},
	}
	s.Booker.tellsRunning = s.TellsRunning
	return s
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
	if own := s.rec.Recorded[in.Recorded:]; len(own) > 0 && s.prev == format.NoTime && lo < own[0].Start &&
		t >= own[0].Start {
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
	e := s.Booker.e
	if e.From > e.Start && s.edge <= e.From || near.Start != format.NoTime && near.Start > s.prev {
		return format.NoTime
	}
	return s.prev
}

// tickAfter returns the tick after cur, which stands for time up to hi, by the same rule.
func (s *Sampler) tickAfter(next, hi int64, near times.Span) int64 {
	if hi >= s.Booker.e.To || near.End != format.NoTime && near.End < next {
		return format.NoTime
	}
	return next
}

// sample returns cur with its neighbours. Samples are in order of time only if no other
// input can follow.
func (s *Sampler) sample(before, after int64) analysis.Sample {
	at := s.cur.time
	return analysis.Sample{
		Taken:   true,
		InOrder: len(s.rec.Parts) == 1 && s.rec.Evidence.Waited() == 0,
		Before:  before,
		First:   at,
		Last:    at,
		After:   after,
	}
}

// TotalThreads returns the number of threads of all inputs: of each, the most alive at one tick.
func (s *Sampler) TotalThreads() int { return s.threadsBefore + s.Booker.threads }

// TellsRunning reports whether the samples tell how many threads ran. Those without ticks beside a
// recording of events, of some threads of it, do not.
func (s *Sampler) TellsRunning() bool {
	return s.Any && (s.ticked || len(s.rec.Recorded) == 0 || !s.rec.Events)
}
