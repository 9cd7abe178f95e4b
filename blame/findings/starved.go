package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/format"
	"contend/format/human"
)

// waitOrder is the order of arrival and of service at each lock.
type waitOrder struct {
	queues      blame.ByID[lockQueue] // by lock
	overtakings map[contender]*overtaking
}

// lockQueue is the threads that wait for one lock at the instant reached so far, in order of
// the end of their waits.
type lockQueue struct {
	served  int64 // waits that have ended with the lock
	waiting []queued
}

// queued is a wait in the queue.
type queued struct {
	end    int64
	length int64
	served int64 // before it came
	ahead  int64 // waiters at its arrival
	thread format.ThreadID
	site   uint32
}

// contender is a thread, or all threads at a site, that waits for a lock.
type contender struct {
	lock   format.ObjectID
	id     uint32
	thread bool
}

// overtaking sums, over the waits of a contender, the net number of threads that overtook it,
// and the length of the waits.
type overtaking struct {
	waits          int64
	passed, length moments
}

func (p *overtaking) addPassed(passed, length int64) {
	p.waits++
	p.passed.addNumber(float64(passed))
	p.length.addNumber(float64(length))
}

// moments are the sum of some numbers and the sum of their squares.
type moments struct{ sum, square float64 }

func (m *moments) addNumber(x float64) { m.sum, m.square = m.sum+x, m.square+x*x }

func (m *moments) mean(n int64) float64 { return m.sum / float64(n) }

// variance returns the variance of the mean of n numbers. These are exact to a half at best,
// which is the least variance (Sheppard).
func (m *moments) variance(n int64) float64 {
	mean := m.mean(n)
	return (max(m.square-float64(n)*mean*mean, 0)/float64(n-1) + 1.0/12) / float64(n)
}

// Wait implements analysis.WaitVisitor. Waits come by start.
func (v *Evidence) Wait(w *analysis.Waited) {
	l := v.queues.Entry(int(w.Lock))
	v.advance(w.Lock, l, w.Start)
	at, _ := slices.BinarySearchFunc(
		l.waiting,
		w.End+1,
		func(o queued, end int64) int { return cmp.Compare(o.end, end) },
	)
	l.waiting = slices.Insert(
		l.waiting,
		at,
		queued{w.End, w.End - w.Start, l.served, int64(len(l.waiting)), w.Thread, v.sites.Waiter(w.Stack)},
	)
}

// advance removes the waiters whose wait ends by an instant. A waiter with ahead others before
// it that leaves after the lock was granted to more than ahead threads was overtaken by the
// difference at least.
func (v *Evidence) advance(lock format.ObjectID, l *lockQueue, until int64) {
	n := 0
	for ; n < len(l.waiting) && l.waiting[n].end <= until; n++ {
		w := &l.waiting[n]
		passed := l.served - w.served - w.ahead
		l.served++
		blame.Entry(v.overtakings, contender{lock, w.site, false}).addPassed(passed, w.length)
		blame.Entry(v.overtakings, contender{lock, uint32(w.thread), true}).addPassed(passed, w.length)
	}
	l.waiting = slices.Delete(l.waiting, 0, n)
}

// starved finds starved contenders: the threads at one of several sites where a lock is waited
// for, or one of several threads.
//
// A lock is fair if it serves in order of arrival; bounded bypass (Burns, Jackson, Lynch,
// Fischer and Peterson 1982) limits how often a waiting thread is overtaken. Summed over all
// waiters, overtakings cancel out. If the lock treats all alike, whatever its order, each
// waiter's mean is 0. A contender starves if its waits are overtaken more than once each, net,
// and take longer than those of the others, both by more than chance explains: by Student's t
// and Welch's, at the significance level for all contenders of the lock together. The cost is
// the excess length of its waits.
//
// An acquisition without a wait is not seen overtaking. A thread that never gets the lock has
// no ended wait, and is not found.
func starved(v *Evidence, _ *Trace) (out []Finding) {
	for lock := range v.queues {
		v.advance(format.ObjectID(lock), &v.queues[lock], math.MaxInt64)
	}
	type kind struct {
		lock   format.ObjectID
		thread bool
	}
	of := map[kind][]contender{}
	for q := range v.overtakings {
		of[kind{q.lock, q.thread}] = append(of[kind{q.lock, q.thread}], q)
	}
	v.each(func(id format.ObjectID, _ *lockEvidence) {
		for _, thread := range [...]bool{false, true} {
			if f, ok := v.worstStarved(of[kind{id, thread}]); ok {
				out = append(out, f)
				return // the site explains its threads
			}
		}
	})
	return out
}

// worstStarved returns a finding about the starved contender with most excess waiting; false
// if none starves.
func (v *Evidence) worstStarved(list []contender) (f Finding, ok bool) {
	if len(list) < 2 {
		return f, false
	}
	slices.SortFunc(list, func(a, b contender) int { return cmp.Compare(a.id, b.id) })
	var all overtaking
	for _, q := range list {
		all.addScaled(v.overtakings[q], 1)
	}
	for _, q := range list {
		p, others := v.overtakings[q], all
		others.addScaled(p, -1)
		excess := int64(p.length.sum - others.length.mean(max(others.waits, 1))*float64(p.waits))
		if excess <= f.WaitNs || !p.starves(&others, len(list)) {
			continue
		}
		ok = true
		f = v.about(Starvation, q.lock, &amount{ns: excess})
		if q.thread {
			f.Thread = v.sym.ThreadName(format.ThreadID(q.id))
			f.Site = v.sites.Names().Value(v.lock(q.lock).spread.site)
		} else {
			f.Site = v.sites.Names().Value(q.id)
		}
		f.Evidence = fmt.Sprintf(
			"each of %s is passed by %.1f that came later, and takes %s where those of others take %s",
			human.Some(
				int(p.waits),
				"wait",
				"waits",
			),
			p.passed.mean(p.waits),
			human.Duration(int64(p.length.mean(p.waits))),
			human.Duration(int64(others.length.mean(others.waits))),
		)
		f.Confidence = High
	}
	return f, ok
}

// addScaled adds the sums of another contender times a sign.
func (p *overtaking) addScaled(o *overtaking, sign float64) {
	p.waits += int64(sign) * o.waits
	for _, m := range [...]struct{ to, from *moments }{{&p.passed, &o.passed}, {&p.length, &o.length}} {
		m.to.sum, m.to.square = m.to.sum+sign*m.from.sum, m.to.square+sign*m.from.square
	}
}

// starves reports whether the waits of one of several contenders are overtaken more than once
// each on average and take longer than those of the others, both significantly. A single wait
// has no variance.
func (p *overtaking) starves(others *overtaking, several int) bool {
	if p.waits < 2 || others.waits < 2 || p.passed.mean(p.waits) <= 1 {
		return false
	}
	sure := 1 - significance/float64(several)
	passed := p.passed.mean(p.waits) / math.Sqrt(p.passed.variance(p.waits))
	longer := (p.length.mean(p.waits) - others.length.mean(others.waits)) / math.Sqrt(
		p.length.variance(p.waits)+others.length.variance(others.waits),
	)
	return passed > bootstrap.Student(float64(p.waits-1), sure) &&
		longer > bootstrap.Student(float64(min(p.waits, others.waits)-1), sure)
}
