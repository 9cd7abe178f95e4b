package findings

import (
	"fmt"
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// busyPeriod is the current interval in which the lock had a waiter at every instant.
type busyPeriod struct {
	start, end int64
	free       int64 // time in which the lock was released and not yet acquired, ns
	waited     amount
	served     int64 // waits that began in it
	threads    []format.ThreadID
	open       bool  // it has begun
	tested     int64 // busy periods of the lock tested so far
}

// convoy sums the busy periods of a lock in which the queue outlived its cause.
type convoy struct {
	amount               amount
	length, free, served int64
}

// maxThreads bounds the threads that are counted in a busy period. With more, the load of the
// lock is overestimated.
const maxThreads = 256

// addSlice takes a slice of n recorded waits. All waiters of a lock have the same owner at an
// instant, so the slices of one lock need no merging.
func (b *busyPeriod) addSlice(s *analysis.Slice, n int64, c **convoy, fair bool) {
	b.extend(s.Start, s.End, len(s.Shares) > 0 && surelyFree(&s.Shares[0].Direct, fair), c)
	for i := range s.Shares {
		b.waited.addWaiting(s.Shares[i].Direct.Prov, s.Shares[i].Ns*n)
	}
	b.countStarts(s.Waiters)
}

// extend adds an interval in which the lock was free or held. It begins a new busy period
// after a gap.
func (b *busyPeriod) extend(start, end int64, free bool, c **convoy) {
	if !b.open || start > b.end {
		b.close(c)
		*b = busyPeriod{start: start, end: start, open: true, tested: b.tested, threads: b.threads[:0]}
	}
	if fresh := end - max(start, b.end); fresh > 0 {
		if free {
			b.free += fresh
		}
		b.end = end
	}
	b.start = min(b.start, start)
}

// countStarts counts the waits that begin, and their threads.
func (b *busyPeriod) countStarts(waiters []analysis.Waiter) {
	for i := range waiters {
		if w := &waiters[i]; w.First && !w.Failed {
			b.served++
			if len(b.threads) < maxThreads && !slices.Contains(b.threads, w.Thread) {
				b.threads = append(b.threads, w.Thread)
			}
		}
	}
}

// surelyFree reports whether the lock had no owner. Acquisitions without a wait are not
// recorded, so between two waits a lock is known to be free only if it is fair, and so serves
// waiters first, or if owners were recorded or sampled.
func surelyFree(o *analysis.Owner, fair bool) bool {
	return o.Kind == analysis.OwnerHandoff && (fair || o.Prov <= analysis.Sampled)
}

// close ends the busy period, and adds it to the convoy of the lock if the queue outlived its
// cause.
//
// A convoy (Blasgen, Gray, Mitoma and Price, 1979) is a queue that persists after its cause is
// gone: each hand-over to a sleeping thread takes so long that the threads return before the
// queue has drained, although the lock has capacity for them. If n threads never waited, they
// would use n h / (Z + h) of the lock's time, where h is the length of a hold and Z the time
// between two holds of a thread (Denning and Buzen 1978: from 1 on the queue does not end).
// Below 1, and without hand-over time, a queue of n drains after some services. Their number k
// follows the law of Borel and Tanner: k-n threads must arrive during k services, a Poisson
// number with mean load times k, whose tail Chernoff's bound limits. If that is unlikely and
// the queue persisted, the hand-over kept it.
//
// Time that is not known to be hand-over counts as held, which overestimates the load.
func (b *busyPeriod) close(of **convoy) {
	n, k := float64(len(b.threads)), float64(b.served)
	length, held := float64(b.end-b.start), float64(b.end-b.start-b.free)
	away := n*length - float64(b.waited.ns) // time in which the threads did not wait
	if k <= n || b.free == 0 || away <= 0 {
		return
	}
	load := n * held / away
	b.tested++
	if load >= 1 ||
		poissonTail(load*k, k-n) > significance/float64(b.tested*(b.tested+1)) { // these levels sum to significance
		return
	}
	if *of == nil {
		*of = &convoy{}
	}
	c := *of
	c.amount.ns += b.waited.ns
	c.amount.byProvenance.AddAll(&b.waited.byProvenance)
	c.length = c.length + b.end - b.start
	c.free += b.free
	c.served += b.served
}

// poissonTail bounds the probability that a Poisson number is m or more (Chernoff).
func poissonTail(mean, m float64) float64 {
	if m <= mean || mean <= 0 {
		if mean <= 0 && m > 0 {
			return 0
		}
		return 1
	}
	return math.Exp(m - mean - m*math.Log(m/mean))
}

// convoys finds the locks whose queue is kept by hand-over.
func convoys(v *Evidence, t *Trace) (out []Finding) {
	v.each(func(id format.ObjectID, l *lockEvidence) {
		l.busy.close(&l.convoy)
		l.busy = busyPeriod{}
		if c := l.convoy; c != nil && c.amount.ns > 0 {
			f := v.about(Convoy, id, &c.amount)
			f.Evidence = fmt.Sprintf(
				"in %s with a queue all the time the lock was handed over %s, and on its way for %s of it",
				human.Duration(c.length),
				human.Some(int(c.served), "time", "times"),
				percent(c.free, c.length),
			)
			f.Confidence = confidence(&f)
			out = append(out, f)
		}
	})
	return out
}
