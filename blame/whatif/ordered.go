package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
	"contend/format/workers"
)

// ordered is the model of a trace whose tenures were rebuilt, and do not fit
// together when it is run again: who barged in unseen, or held what with others,
// is not in them. So all that
// is known to have happened happens in the same order again, each as much
// sooner as what it had to wait for comes sooner: a thread after what it did
// before, and the end of a wait after the lock was given back.
type ordered struct {
	c       *Collector
	tenures []tenure
	moments []moment
	handoff []int64
	length  int64
	weight  []float64 // by thread: which part of all acquisitions is its own
	base    course
	misfit  Misfit
}

// moment is something that happens at an instant of the trace.
type moment struct {
	at   int64
	of   int32 // tenure; of idle ends the thread
	what what
}

type what uint8

// In the order in which they happen at one instant.
const (
	idleEnds what = iota
	gives
	asks
	takes
)

// newOrdered takes how long it typically takes to hand over each lock.
func newOrdered(c *Collector, handoff []int64) *ordered {
	m := &ordered{c: c, tenures: c.everyTenure(), handoff: handoff, length: c.end - c.start, weight: make([]float64, len(c.threads))}
	for i := range m.tenures {
		m.add(int32(i), &m.tenures[i])
	}
	for t := range c.threads {
		if len(c.threads[t].holds) == 0 {
			continue
		}
		for _, s := range c.threads[t].idle {
			if !s.pause {
				m.moments = append(m.moments, moment{s.end, int32(t), idleEnds})
			}
		}
	}
	slices.SortStableFunc(m.moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	m.base = m.run(c.unchanged(), closed)
	m.misfit = Misfit{
		Waiting:    math.Abs(ratio(int64(m.base.waited), c.waitNs) - 1),
		Throughput: math.Abs(m.throughput(&m.base) - 1),
	}
	return m
}

// add adds the moments of a tenure.
func (m *ordered) add(i int32, t *tenure) {
	if t.asked < t.start {
		m.moments = append(m.moments, moment{t.asked, i, asks})
	}
	m.moments = append(m.moments, moment{t.start, i, takes})
	if t.end > t.start {
		m.moments = append(m.moments, moment{t.end, i, gives})
	}
	if t.thread >= 0 {
		m.weight[t.thread]++
	}
}

// rule is a rule of a course: what is assumed where the trace does not tell.
type rule struct {
	strict  bool // who did not wait for a lock in the trace waits for those who had it before
	arrives bool // what ends idle times comes when it came
	likely  bool // time of which nobody knows who held the lock is the section's as often as other time
}

// The rules by which the ends of a range are found.
var (
	closed = rule{}
	ends   = [...]rule{{likely: true}, closed, {strict: true}, {strict: true, arrives: true}}
)

// predict compares courses of the changed program with that of the trace.
func (m *ordered) predict(e *effect) (throughput, waitNs Range, _ bool) {
	var courses [len(ends)]course
	workers.Each(len(ends), func(i int) { courses[i] = m.run(e, ends[i]) })()
	throughput, waitNs = Range{math.Inf(1), 0}, Range{math.Inf(1), 0}
	unchanged, doubt := m.throughput(&m.base), 0.0
	for i := range courses {
		faster := m.throughput(&courses[i]) / unchanged
		throughput.include(faster)
		waitNs.include(courses[i].waited / max(m.base.waited, 1) * float64(m.c.waitNs) * faster)
		doubt = max(doubt, errors*courses[i].spread(m.length, len(m.c.threads)))
	}
	throughput.include(1) // the truth may be that nothing is won
	waitNs.include(float64(m.c.waitNs))
	doubt = math.Hypot(doubt, m.c.unrest())
	return throughput.widen(m.misfit.Throughput + doubt), waitNs.widen(m.misfit.Waiting + doubt), false
}

// throughput returns how fast threads get through, over how fast they did: by
// thread, and each as much as it took locks. As fast, where nobody did.
func (m *ordered) throughput(c *course) float64 {
	sum, all := 0.0, 0.0
	for t, w := range m.weight {
		k := c.threads[t].clock
		took := float64(max(k.now+m.length-k.seen, 1))
		sum, all = sum+w*float64(m.length)/took, all+w
	}
	if all == 0 {
		return 1
	}
	return sum / all
}

// clock is what an instant of the trace becomes.
type clock struct{ seen, now int64 }

// after returns when an instant of the trace comes, if nothing changes from then on.
func (k *clock) after(at int64) int64 { return k.now + max(at-k.seen, 0) }

// course is one run in order.
type course struct {
	threads []walker
	waited  float64
	saved   [windows]float64
}

// walker is a thread on its course.
type walker struct {
	clock
	waits bool
	in    []int32 // tenures, the innermost last
}

// point is a lock on a course: when it was last given back, or, where that is not known, asked for.
type point struct {
	clock
	exclusive clock // the same, of those who were not readers
	waiting   int
	held      int
}

// runner makes a course.
type runner struct {
	*ordered
	course
	e      *effect
	rule   rule
	points []point
	asked  []int64 // by tenure: when it is asked for, and from when it is held
}

func (m *ordered) run(e *effect, by rule) course {
	r := runner{ordered: m, e: e, rule: by, asked: make([]int64, len(m.tenures))}
	r.threads = make([]walker, len(m.c.threads))
	r.points = make([]point, e.locks())
	for i := range m.moments {
		switch at := &m.moments[i]; at.what {
		case idleEnds:
			r.idleEnds(&r.threads[at.of], at.at)
		case asks:
			r.asks(at.of, &m.tenures[at.of])
		case takes:
			r.takes(at.of, &m.tenures[at.of])
		case gives:
			r.gives(at.of, &m.tenures[at.of])
		}
	}
	return r.course
}

func (e *effect) locks() (n int32) {
	for _, s := range e.stripes {
		n = max(n, s.first+s.count)
	}
	return n
}

// lock returns the lock, or the stripe of it, that a tenure is of.
func (r *runner) lock(i int32, t *tenure) *point {
	s := r.e.stripes[t.lock]
	if s.count == 1 {
		return &r.points[s.first]
	}
	return &r.points[s.first+s.pick(uint64(i))]
}

// move takes a thread to an instant of the trace.
func (r *runner) move(w *walker, at int64) {
	ns := max(at-w.seen, 0)
	if n := len(w.in); n > 0 && !w.waits {
		ns = r.e.shrunk(r.tenures[w.in[n-1]].section, ns)
	}
	r.set(w, at, w.now+ns)
}

// set says when an instant of a thread's trace comes.
func (r *runner) set(w *walker, at, now int64) {
	at = max(at, w.seen)
	r.saved[min(at/max(r.length/windows, 1), windows-1)] += float64((at - now) - (w.seen - w.now))
	w.clock = clock{at, now}
}

func (r *runner) idleEnds(w *walker, at int64) {
	if len(w.in) > 0 || w.waits {
		return
	}
	r.move(w, at)
	if r.rule.arrives {
		r.set(w, at, max(w.now, at))
	}
}

func (r *runner) asks(i int32, t *tenure) {
	if t.thread < 0 {
		return
	}
	w, l := &r.threads[t.thread], r.lock(i, t)
	r.move(w, t.asked)
	w.waits, r.asked[i] = true, w.now
	if l.waiting++; l.waiting == 1 && l.held == 0 && l.seen < t.asked && !r.e.moves {
		l.clock, l.exclusive = w.clock, w.clock
	}
}

func (r *runner) takes(i int32, t *tenure) {
	l := r.lock(i, t)
	l.held++
	if t.thread < 0 {
		r.asked[i] = l.after(t.start)
		return
	}
	w := &r.threads[t.thread]
	if t.asked < t.start {
		l.waiting--
		r.waits(w, l, i, t)
	} else {
		r.move(w, t.start)
		if r.rule.strict && !r.e.gone[t.lock] && !r.e.reads(t.mode == format.Shared, t.section) && l.seen <= t.start {
			now := max(w.now, l.now)
			r.waited += float64(now - w.now)
			r.set(w, t.start, now)
		}
	}
	if w.waits = false; t.end > t.start {
		w.in = append(w.in, i)
		return
	}
	r.leave(l, t, w.clock)
}

// waits lets a thread wait for what it waited for.
func (r *runner) waits(w *walker, l *point, i int32, t *tenure) {
	k, now := l.clock, r.asked[i]
	if r.e.reads(t.mode == format.Shared, t.section) {
		k = l.exclusive
	}
	free := t.start - k.seen
	switch {
	case r.e.gone[t.lock], r.e.moves && k.seen < t.asked:
		free = -1
	case r.e.moves:
		free = min(free, r.handoff[t.lock])
	case r.rule.likely:
		free = int64(float64(free) * (1 - (1-r.e.keep)*r.e.share[t.lock]))
	}
	if free >= 0 {
		now = max(now, k.now+free)
	}
	r.waited += float64(now - r.asked[i])
	r.set(w, t.start, now)
}

func (r *runner) gives(i int32, t *tenure) {
	l := r.lock(i, t)
	if t.thread < 0 {
		r.leave(l, t, clock{t.end, r.asked[i] + r.e.shrunk(t.section, t.end-t.start)})
		return
	}
	w := &r.threads[t.thread]
	r.move(w, t.end)
	if at := slices.Index(w.in, i); at >= 0 {
		w.in = slices.Delete(w.in, at, at+1)
	}
	r.leave(l, t, w.clock)
}

// leave notes when a lock is given back.
func (r *runner) leave(l *point, t *tenure, k clock) {
	l.held--
	l.clock = k
	if !r.e.reads(t.mode == format.Shared, t.section) {
		l.exclusive = k
	}
}

// spread is the standard error of the time that a thread saves, as a part of
// the time there is, from how much it varies from window to window.
func (c *course) spread(length int64, threads int) float64 {
	mean, square := 0.0, 0.0
	for _, s := range c.saved {
		mean += s / windows
	}
	for _, s := range c.saved {
		square += (s - mean) * (s - mean)
	}
	return math.Sqrt(square*windows/(windows-1)) / float64(max(length, 1)) / float64(max(threads, 1))
}
