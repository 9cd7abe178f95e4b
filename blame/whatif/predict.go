package whatif

import (
	"math"

	"contend/format/workers"
)

// Range is what a change brings, between two ends.
type Range struct{ Low, High float64 }

func (r *Range) include(x float64) { r.Low, r.High = min(r.Low, x), max(r.High, x) }

// widen moves both ends outwards by a part of them.
func (r Range) widen(by float64) Range { return Range{r.Low / (1 + by), r.High * (1 + by)} }

// Misfit says how far the replay of the unchanged trace is from the trace, as
// a part of what the trace shows.
type Misfit struct{ Waiting, Throughput float64 }

// tooFar is the misfit above which the replay is not the program: what it says
// then is no more than a bound.
const tooFar = 0.10

// Fits reports whether the replay is near enough to be believed.
func (m *Misfit) Fits() bool { return m.worst() <= tooFar }

func (m *Misfit) worst() float64 { return max(m.Waiting, m.Throughput) }

// replays is the model of a trace: its threads run again, over its tenures, recorded or
// rebuilt.
type replays struct {
	c       *Collector
	parts   []*part
	typical []int64 // by lock: how long handing it over takes
	permits []int
	length  int64
	base    outcomes
	misfit  Misfit
	demand  *demand
}

// loops are those of the ends of a range; the last one is for tenures that were
// rebuilt.
var loops = [...]loop{{}, {open: true}, {likely: true}}

// outcomes are those of one change, by loop.
type outcomes [len(loops)]outcome

func (o *outcomes) add(part *outcomes) {
	for l := range o {
		o[l].add(&part[l])
	}
}

// newReplays replays the unchanged trace.
func newReplays(c *Collector) *replays {
	c.number()
	m := &replays{c: c, length: c.end - c.start, demand: c.newDemand()}
	threads := c.ofThreads()
	semaphores := c.ofSemaphores(threads)
	m.permits = c.permits(semaphores)
	if c.rebuilt {
		limitPermits(semaphores, m.permits)
	}
	programs, recorded := c.programs(threads, m.length)
	m.typical = c.handover(threads, m.permits)
	m.parts = split(programs, len(c.locks))
	for i, out := range m.replay(c.unchanged(), m.parts) {
		p := m.parts[i]
		p.base, p.control = out, out
		m.base.add(&out)
	}
	if c.rebuilt {
		m.controls()
	}
	m.misfit = Misfit{math.Abs(ratio(sum(&m.base[0].waited), c.waitNs) - 1), math.Abs(ratio(sum(&m.base[0].taken), recorded) - 1)}
	return m
}

// ofThreads returns copies of the tenures of each thread. Those of unknown threads are left
// out: to a waiter the lock is as good as free then, without being its own.
func (c *Collector) ofThreads() [][]tenure {
	out := make([][]tenure, len(c.threads))
	for t, n := range c.perThread() {
		out[t] = make([]tenure, 0, n+1)
	}
	for _, t := range c.tenures {
		if t.thread >= 0 {
			out[t.thread] = append(out[t.thread], t)
		}
	}
	return out
}

// programs returns what threads do that take locks, and how many tenures the trace has of
// them. It leaves the tenures in the order of the programs.
func (c *Collector) programs(threads [][]tenure, length int64) (list []program, recorded int64) {
	for i, t := range c.threads {
		if n := len(threads[i]); n > 0 {
			recorded += int64(n)
			threads[i] = t.inOrder(threads[i], length)
			list = append(list, t.programOf(threads[i], length))
		}
	}
	return list, recorded
}

// once replays a part.
func (m *replays) once(p *part, e *effect, by loop) outcome {
	r := replay{length: m.length, change: e, loop: by, threads: make([]actor, len(p.programs)), stripes: make([]stripes, len(p.locks))}
	for i := range p.programs {
		r.threads[i].program = &p.programs[i]
	}
	for i, l := range p.locks {
		r.stripes[i] = stripes{int32(len(r.locks)), e.stripes[l].count}
		for range e.stripes[l].count {
			r.locks = append(r.locks, lock{of: l, typical: m.typical[l], permits: m.permits[l], gone: e.gone[l]})
		}
	}
	return r.run()
}

// replay replays some parts, in the closed loop and the open one, which are the same where
// nothing comes from outside; and in the likely one, where tenures were rebuilt.
func (m *replays) replay(e *effect, parts []*part) []outcomes {
	n, out := len(loops), make([]outcomes, len(parts))
	workers.Each(n*len(parts), func(i int) {
		p, by := parts[i/n], loops[i%n]
		if (p.comes || !by.open) && (m.c.rebuilt || !by.likely) {
			out[i/n][i%n] = m.once(p, e, by)
		}
	})()
	for i, p := range parts {
		if !p.comes {
			out[i][1] = out[i][0]
		}
	}
	return out
}

// controls replays a negligible change as a second baseline. Rebuilt holds reproduce the trace
// exactly only while nothing changes, because they were fitted to it; any change, however
// small, releases that fit. The control measures that effect alone.
func (m *replays) controls() {
	sums := make([]outcomes, len(m.parts))
	for _, by := range slight {
		for i, out := range m.replay(m.c.hardly(by), m.parts) {
			sums[i].add(&out)
		}
	}
	for i, p := range m.parts {
		for l := range sums[i] {
			sums[i][l].share(int64(len(slight)))
		}
		p.control = sums[i]
	}
}

// changed returns what the program comes to with a change, and without it but for the
// freedom that the change gives the parts it touches.
func (m *replays) changed(e *effect) (now, control outcomes) {
	var touched []*part
	for _, p := range m.parts {
		if e.touches(p) {
			touched = append(touched, p)
			control.add(&p.control)
		} else {
			now.add(&p.base)
			control.add(&p.base)
		}
	}
	for _, out := range m.replay(e, touched) {
		now.add(&out)
	}
	return now, control
}

// predict compares replays of the changed program with those of the trace. Where
// rebuilt tenures lock up in one of them, as the program did not, it says nothing.
func (m *replays) predict(e *effect) (throughput, waitNs Range, stuck bool) {
	changed, control := m.changed(e)
	throughput, waitNs, stuck = Range{math.Inf(1), 0}, Range{math.Inf(1), 0}, true
	spreads, taken := [2]float64{}, false
	for i := range changed {
		now, was := &changed[i], &m.base[i]
		if sum(&was.taken) == 0 {
			continue
		}
		if taken = true; m.c.rebuilt && now.stuck {
			continue
		}
		for _, was := range []*outcome{was, &control[i]} {
			throughput.include(ratio(sum(&now.taken), sum(&was.taken)))
			waitNs.include(ratio(sum(&now.waited), sum(&was.waited)) * float64(m.c.waitNs))
		}
		stuck = stuck && now.stuck
		spreads[0], spreads[1] = max(spreads[0], spread(&now.taken, &was.taken)), max(spreads[1], spread(&now.waited, &was.waited))
	}
	if stuck = stuck && taken; !taken || !m.misfit.Fits() { // the truth may be that nothing is won
		throughput.include(1)
		waitNs.include(float64(m.c.waitNs))
	}
	chance := standardErrors * spreads[0]
	if m.c.rebuilt { // waits vary more than what was done: at most by what there is of them
		chance = min(chance, m.c.waitingPart())
	}
	return throughput.widen(m.misfit.Throughput + chance), waitNs.widen(m.misfit.Waiting + standardErrors*spreads[1]), stuck
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}
