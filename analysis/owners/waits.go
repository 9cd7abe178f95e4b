package owners

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// lockWaits are the waits for one lock, by start. Each lies where its thread's
// activities do, so that to go through those of a lock is to jump about in memory:
// they are gathered once, and all that is asked of all of them is asked of these.
type lockWaits []lockWait

type lockWait struct {
	start, end int64
	thread     format.ThreadID
	doer       uint32 // what it is but for these
}

// gather returns the waits of a lock, in place of a list that is no longer needed.
func (s *store) gather(waits []column.Ref, list lockWaits) lockWaits {
	list = slices.Grow(list[:0], len(waits))
	for _, i := range waits {
		b, data := s.find(i)
		start, end := b.span(data)
		list = append(list, lockWait{start, end, b.thread, b.number(data)})
	}
	return list
}

// busy returns the union of the waits.
func (l lockWaits) busy() []span {
	n := 0
	l.eachBusy(func(span) { n++ })
	out := make([]span, 0, n) // there may be as many as waits
	l.eachBusy(func(s span) { out = append(out, s) })
	return out
}

func (l lockWaits) eachBusy(f func(span)) {
	if len(l) == 0 {
		return
	}
	s := span{l[0].start, l[0].end}
	for i := range l {
		if w := &l[i]; w.start <= s.end {
			s.end = max(s.end, w.end)
		} else {
			f(s)
			s = span{w.start, w.end}
		}
	}
	f(s)
}

// starts returns when they begin.
func (l lockWaits) starts() sums {
	starts := make(sums, len(l)+1)
	for i := range l {
		starts[i+1] = l[i].start
	}
	starts.add()
	return starts
}

// recordedShare returns the share of the waits for a lock that were recorded,
// where recorders leave short ones out: as the lengths of those that were, above
// the shortest, fall off, so they do below it.
func (l lockWaits) recordedShare() float64 {
	shortest, sum := int64(maxTime), 0.0
	for i := range l {
		if length := l[i].end - l[i].start; length > 0 {
			shortest = min(shortest, length)
			sum += float64(length)
		}
	}
	above := sum/float64(max(len(l), 1)) - float64(shortest)
	return math.Exp(-float64(shortest) / max(above, 1))
}

// nearlyAll is the share of the waits for some locks that must have been recorded
// for what is not seen of them to be rare.
const nearlyAll = 0.9

// acquisition is the end of a wait: the thread got the lock.
type acquisition struct {
	time   int64
	thread format.ThreadID
	doer   uint32 // what the wait is but for its times; and the bits below
}

// The bits on top: the wait had begun when the lock was acquired before, and an interrupt
// may have ended it.
const (
	waitedAllAlong = 1 << 31
	mayHaveLeft    = 1 << 30
)

// number returns that of the doer.
func (a *acquisition) number() uint32 { return a.doer &^ (waitedAllAlong | mayHaveLeft) }

// acquisitions returns the ends of waits that got the lock, by time, and of those
// that did not: those that failed, and those among left. Waits that begin in order mostly
// end so, too: each one is put where it belongs from behind, as long as that is near.
func (ev *evidence) acquisitions(l lockWaits, left []bool) (got []acquisition, failed []int64) {
	const near = 64
	sorted := true
	got = make([]acquisition, 0, len(l))
	for i := range l {
		w := &l[i]
		if ev.what[w.doer].info&failedBit != 0 || left != nil && left[i] {
			failed = append(failed, w.end)
			continue
		}
		a, at := acquisition{w.end, w.thread, uint32(i)}, len(got)
		got = append(got, a)
		for ; at > 0 && got[at-1].time > a.time && len(got)-at < near; at-- {
			got[at] = got[at-1]
		}
		got[at] = a
		sorted = sorted && (at == 0 || got[at-1].time <= a.time)
	}
	if !sorted {
		slices.SortStableFunc(got, func(a, b acquisition) int { return cmp.Compare(a.time, b.time) })
	}
	before := int64(minTime)
	for i := range got { // now that each one's place is known
		a := &got[i]
		w := &l[a.doer]
		if a.doer = w.doer; w.start <= before {
			a.doer |= waitedAllAlong
		}
		before = a.time
	}
	slices.Sort(failed)
	return got, failed
}
