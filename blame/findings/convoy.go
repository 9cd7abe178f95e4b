package findings

import (
	"fmt"
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// busy is the current interval in which the lock has had a waiter at every instant.
type busy struct {
	start, end int64
	free       int64 // the lock was released and not yet acquired
	waited     amount
	served     int64 // waits that began in it
	threads    []format.ThreadID
	told       bool
	tested     int64
}

// convoy is the sum of the intervals in which the queue outlived its cause.
type convoy struct {
	amount
	length, free, served int64
}

// mostThreads bounds the threads of an interval that are counted. With more of
// them the lock counts as busier than it is.
const mostThreads = 256

// add takes a slice of a recorded wait. All waiters of a lock have one owner at
// an instant, so that what is new in the slice is known by itself.
func (b *busy) add(s *analysis.Slice, n int64, c **convoy, fair bool) {
	b.reach(s.Start, s.End, len(s.Shares) > 0 && surelyFree(&s.Shares[0].Direct, fair), c)
	for i := range s.Shares {
		b.waited.add(s.Shares[i].Direct.Prov, s.Shares[i].Ns*n)
	}
	b.begin(s.Waiters)
}

// reach makes the interval longer by another one, in which the lock was free or
// held, or begins a new one with it.
func (b *busy) reach(start, end int64, free bool, c **convoy) {
	if !b.told || start > b.end {
		b.close(c)
		*b = busy{start: start, end: start, told: true, tested: b.tested, threads: b.threads[:0]}
	}
	if fresh := end - max(start, b.end); fresh > 0 {
		if free {
			b.free += fresh
		}
		b.end = end
	}
	b.start = min(b.start, start)
}

// begin counts the waits that begin.
func (b *busy) begin(waiters []analysis.Waiter) {
	for i := range waiters {
		if w := &waiters[i]; w.First && !w.Failed {
			b.served++
			if len(b.threads) < mostThreads && !slices.Contains(b.threads, w.Thread) {
				b.threads = append(b.threads, w.Thread)
			}
		}
	}
}

// surelyFree reports whether the lock had no owner. A recording of waits lacks the
// acquisitions without a wait: that a lock was free between two waits is known of
// fair locks, which serve the waiters first, and where owners are recorded or
// were sampled.
func surelyFree(o *analysis.Owner, fair bool) bool {
	return o.Kind == analysis.OwnerHandoff && (fair || o.Prov <= analysis.Sampled)
}

// close ends the interval, and decides whether the queue in it outlived its cause.
//
// A convoy (Blasgen, Gray, Mitoma and Price, 1979) is a queue that persists after its cause
// is gone: each hand-over to a sleeping thread takes so long that the threads return before
// the queue has drained, although the lock has capacity for them. If n threads never waited,
// they would use n h / (Z + h) of the lock's time, where h is the length of a hold and Z the
// time between two (Denning and Buzen 1978: from 1 on queues do not end). Below 1, and if
// hand-over took no time, a queue of n would end after k services, as Borel and Tanner's law
// has it: only if k-n threads arrive during these, a Poisson number with mean load times k,
// is it still there. Chernoff's bound gives the probability. If that is small and the queue
// persisted, the hand-over kept it.
//
// Whatever is not known to be hand-over counts as held, which makes the load look higher.
func (b *busy) close(of **convoy) {
	n, k := float64(len(b.threads)), float64(b.served)
	length, held := float64(b.end-b.start), float64(b.end-b.start-b.free)
	away := n*length - float64(b.waited.ns) // what threads did instead of waiting
	if k <= n || b.free == 0 || away <= 0 {
		return
	}
	load := n * held / away
	b.tested++
	if load >= 1 || poissonTail(load*k, k-n) > level/float64(b.tested*(b.tested+1)) { // these sum to level, however many there are
		return
	}
	if *of == nil {
		*of = &convoy{}
	}
	c := *of
	c.ns += b.waited.ns
	for p, ns := range b.waited.byProvenance {
		c.byProvenance[p] += ns
	}
	c.length, c.free, c.served = c.length+b.end-b.start, c.free+b.free, c.served+b.served
}

// poissonTail bounds how likely a Poisson number is m or more (Chernoff).
func poissonTail(mean, m float64) float64 {
	if m <= mean || mean <= 0 {
		if mean <= 0 && m > 0 {
			return 0
		}
		return 1
	}
	return math.Exp(m - mean - m*math.Log(m/mean))
}

// convoys finds the locks with a queue that hand-over keeps.
func convoys(v *Evidence, t *Trace) (out []Finding) {
	v.each(func(id format.ObjectID, l *lockSeen) {
		l.busy.close(&l.convoy)
		l.busy = busy{}
		if c := l.convoy; c != nil && c.ns > 0 {
			f := v.about(Convoy, id, &c.amount)
			f.Evidence = fmt.Sprintf("in %s with a queue all the time the lock was handed over %s, and on its way for %s of it",
				human.Duration(c.length), human.Some(int(c.served), "time", "times"), percent(c.free, c.length))
			f.Confidence = confidence(&f)
			out = append(out, f)
		}
	})
	return out
}
