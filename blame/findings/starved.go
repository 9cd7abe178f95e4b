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

// line is the threads that wait for one lock, at the instant to which the waits
// have been given: the next to leave is first.
type line struct {
	served  int64 // waits that have ended with the lock
	waiting []inLine
}

// inLine is one of them.
type inLine struct {
	end    int64
	length int64
	served int64 // before it came
	ahead  int64 // waiters when it came
	thread format.ThreadID
	site   uint32
}

// queuer is a thread, or the threads at a site, that waits for a lock.
type queuer struct {
	lock   format.ObjectID
	id     uint32
	thread bool
}

// passing sums by how many more each wait was passed than it passed others, and
// how long the waits were.
type passing struct {
	waits          int64
	passed, length moments
}

func (p *passing) add(passed, length int64) {
	p.waits++
	p.passed.add(float64(passed))
	p.length.add(float64(length))
}

// moments are sums of some numbers and of their squares.
type moments struct{ sum, square float64 }

func (m *moments) add(x float64) { m.sum, m.square = m.sum+x, m.square+x*x }

func (m *moments) mean(n int64) float64 { return m.sum / float64(n) }

// variance returns that of the mean of n numbers, which are known to a half at
// best: the least they vary (Sheppard).
func (m *moments) variance(n int64) float64 {
	mean := m.mean(n)
	return (max(m.square-float64(n)*mean*mean, 0)/float64(n-1) + 1.0/12) / float64(n)
}

// Wait implements analysis.WaitVisitor. Waits come by start.
func (v *Evidence) Wait(w *analysis.Waited) {
	l := v.lines.At(int(w.Lock))
	v.serve(w.Lock, l, w.Start)
	at, _ := slices.BinarySearchFunc(l.waiting, w.End+1, func(o inLine, end int64) int { return cmp.Compare(o.end, end) })
	l.waiting = slices.Insert(l.waiting, at, inLine{w.End, w.End - w.Start, l.served, int64(len(l.waiting)), w.Thread, v.sites.Waiter(w.Stack)})
}

// serve removes the waiters whose wait ends by an instant. A waiter that came behind
// ahead others, and leaves after the lock was given to more than these, was passed by so
// many at least.
func (v *Evidence) serve(lock format.ObjectID, l *line, until int64) {
	n := 0
	for ; n < len(l.waiting) && l.waiting[n].end <= until; n++ {
		w := &l.waiting[n]
		passed := l.served - w.served - w.ahead
		l.served++
		blame.At(v.passed, queuer{lock, w.site, false}).add(passed, w.length)
		blame.At(v.passed, queuer{lock, uint32(w.thread), true}).add(passed, w.length)
	}
	l.waiting = slices.Delete(l.waiting, 0, n)
}

// starved finds waiters that are passed over: the threads at one of several sites where a
// lock is waited for, or one of several threads.
//
// A lock is fair if it serves in order of arrival; bounded bypass (Burns,
// Jackson, Lynch, Fischer and Peterson 1982) is that a waiting thread is passed
// no more than so many times. Summed over all waiters of a lock, overtakings cancel out: if
// the lock treats all alike, whatever its order, the mean of each is 0. A thread or site starves if
// its waits are passed more than once each beyond what they pass others, and take
// longer than those of the others, both by more than chance explains: by Student's t
// and Welch's, at the level for all that are tested at the lock. The cost is how much
// longer it waits than others.
//
// An acquisition without a wait is not seen passing. A thread that never gets the lock
// has no wait that ended, and is not seen either.
func starved(v *Evidence, _ *Trace) (out []Finding) {
	for lock := range v.lines {
		v.serve(format.ObjectID(lock), &v.lines[lock], math.MaxInt64)
	}
	type kind struct {
		lock   format.ObjectID
		thread bool
	}
	of := map[kind][]queuer{}
	for q := range v.passed {
		of[kind{q.lock, q.thread}] = append(of[kind{q.lock, q.thread}], q)
	}
	v.each(func(id format.ObjectID, _ *lockSeen) {
		for _, thread := range [...]bool{false, true} {
			if f, ok := v.mostPassed(of[kind{id, thread}]); ok {
				out = append(out, f)
				return // a site says why its threads are
			}
		}
	})
	return out
}

// mostPassed returns a finding about the one of several that is starved, and has most of
// the waiting that is so.
func (v *Evidence) mostPassed(list []queuer) (f Finding, ok bool) {
	if len(list) < 2 {
		return f, false
	}
	slices.SortFunc(list, func(a, b queuer) int { return cmp.Compare(a.id, b.id) })
	var all passing
	for _, q := range list {
		all.plus(v.passed[q], 1)
	}
	for _, q := range list {
		p, others := v.passed[q], all
		others.plus(p, -1)
		excess := int64(p.length.sum - others.length.mean(max(others.waits, 1))*float64(p.waits))
		if excess <= f.WaitNs || !p.starves(&others, len(list)) {
			continue
		}
		ok = true
		f = v.about(Starvation, q.lock, &amount{ns: excess})
		if q.thread {
			f.Thread, f.Site = v.sym.ThreadName(format.ThreadID(q.id)), v.sites.Names().Name(v.lock(q.lock).spread.site)
		} else {
			f.Site = v.sites.Names().Name(q.id)
		}
		f.Evidence = fmt.Sprintf("each of %s is passed by %.1f that came later, and takes %s where those of others take %s",
			human.Some(int(p.waits), "wait", "waits"), p.passed.mean(p.waits), human.Duration(int64(p.length.mean(p.waits))), human.Duration(int64(others.length.mean(others.waits))))
		f.Confidence = High
	}
	return f, ok
}

// plus adds the sums of others, or takes them away.
func (p *passing) plus(o *passing, sign float64) {
	p.waits += int64(sign) * o.waits
	for _, m := range [...]struct{ to, from *moments }{{&p.passed, &o.passed}, {&p.length, &o.length}} {
		m.to.sum, m.to.square = m.to.sum+sign*m.from.sum, m.to.square+sign*m.from.square
	}
}

// starves reports whether the waits of one of several are passed more than once
// each in the mean, and take longer than those of others, and neither is chance. One
// wait does not tell how much they vary.
func (p *passing) starves(others *passing, several int) bool {
	if p.waits < 2 || others.waits < 2 || p.passed.mean(p.waits) <= 1 {
		return false
	}
	sure := 1 - level/float64(several)
	passed := p.passed.mean(p.waits) / math.Sqrt(p.passed.variance(p.waits))
	longer := (p.length.mean(p.waits) - others.length.mean(others.waits)) / math.Sqrt(p.length.variance(p.waits)+others.length.variance(others.waits))
	return passed > bootstrap.Student(float64(p.waits-1), sure) && longer > bootstrap.Student(float64(min(p.waits, others.waits)-1), sure)
}
