package whatif

import (
	"math"

	"contend/format/workers"
)

// Range is the predicted effect of a change, between two ends.
type Range struct {
	Low  float64
	High float64
}

func (r *Range) include(x float64) { r.Low, r.High = min(r.Low, x), max(r.High, x) }

// widen moves both ends outwards by a relative amount.
func (r Range) widen(by float64) Range { return Range{r.Low / (1 + by), r.High * (1 + by)} }

// Misfit is the relative deviation of the replay of the unchanged trace from the trace.
type Misfit struct {
	Waiting    float64 // of the time that all threads wait
	Throughput float64 // of the number of acquisitions
}

// maxMisfit is the misfit above which the replay does not represent the program: its ranges
// then include no change.
const maxMisfit = 0.10

// Fits reports whether the replay is close enough to the trace to be believed.
func (m *Misfit) Fits() bool { return m.worst() <= maxMisfit }

func (m *Misfit) worst() float64 { return max(m.Waiting, m.Throughput) }

// replays is the model of a trace: its threads run again over its holds.
type replays struct {
	c       *Collector
	parts   []*part
	typical []int64 // by lock: the median hand-over time, ns
	permits []int
	length  int64
	base    outcomes
	misfit  Misfit
	demand  *demand
}

// The loops of loops. likelyLoop is for inferred holds only.
const (
	closedLoop = iota
	openLoop
	likelyLoop
)

// loops are the assumptions that a range covers.
var loops = [...]loop{closedLoop: {}, openLoop: {open: true}, likelyLoop: {likely: true}}

// outcomes are the outcomes of one change, by loop.
type outcomes [len(loops)]outcome

func (o *outcomes) merge(part *outcomes) {
	for l := range o {
		o[l].merge(&part[l])
	}
}

// newReplays replays the unchanged trace.
func newReplays(c *Collector) *replays {
	c.numberThreads()
	m := &replays{c: c, length: c.end - c.start, demand: c.newDemand()}
	threads := c.ofThreads()
	semaphores := c.ofSemaphores(threads)
	m.permits = c.permits(semaphores)
	if c.rebuilt {
		limitPermits(semaphores, m.permits)
	}
	programs, recorded := c.programs(threads, m.length)
	m.typical = c.handoverTimes(threads, m.permits)
	m.parts = split(programs, len(c.locks.List))
	for i, out := range m.replay(c.unchanged(), m.parts) {
		p := m.parts[i]
		p.base, p.control = out, out
		m.base.merge(&out)
	}
	if c.rebuilt {
		m.controls()
	}
	m.misfit = Misfit{
		math.Abs(relative(sum(&m.base[closedLoop].waited), c.waitNs) - 1),
		math.Abs(relative(sum(&m.base[closedLoop].taken), recorded) - 1),
	}
	return m
}

// ofThreads returns copies of the holds of each thread. Holds of unknown threads are left out:
// the lock then seems free.
func (c *Collector) ofThreads() [][]hold {
	out := make([][]hold, len(c.threads))
	for t, n := range c.perThread() {
		out[t] = make([]hold, 0, n+1)
	}
	for _, t := range c.holds {
		if t.thread != unknown {
			out[t.thread] = append(out[t.thread], t)
		}
	}
	return out
}

// programs returns the programs of the threads that acquire locks, and the number of their
// holds. It leaves the holds in the order of the programs.
func (c *Collector) programs(threads [][]hold, length int64) (list []program, recorded int64) {
	for i, t := range c.threads {
		if n := len(threads[i]); n > 0 {
			recorded += int64(n)
			threads[i] = t.inOrder(threads[i], length)
			list = append(list, t.programOf(threads[i], length))
		}
	}
	return list, recorded
}

// replayPart replays a part.
func (m *replays) replayPart(p *part, e *effect, by loop) outcome {
	r := replay{
		length:  m.length,
		change:  e,
		loop:    by,
		threads: make([]actor, len(p.programs)),
		stripes: make([]stripes, len(p.locks)),
	}
	for i := range p.programs {
		r.threads[i].program = &p.programs[i]
	}
	for i, l := range p.locks {
		r.stripes[i] = stripes{int32(len(r.locks)), e.stripes[l].count}
		for range e.stripes[l].count {
			r.locks = append(r.locks, lock{of: l, typical: m.typical[l], permits: m.permits[l], removed: e.removed[l]})
		}
	}
	return r.run()
}

// replay replays some parts in each loop. The open loop equals the closed one if nothing
// external happens, and the likely one is left out for recorded holds.
func (m *replays) replay(e *effect, parts []*part) []outcomes {
	n, out := len(loops), make([]outcomes, len(parts))
	workers.Each(n*len(parts), func(i int) {
		p, by := parts[i/n], loops[i%n]
		if (p.external || !by.open) && (m.c.rebuilt || !by.likely) {
			out[i/n][i%n] = m.replayPart(p, e, by)
		}
	})()
	for i, p := range parts {
		if !p.external {
			out[i][openLoop] = out[i][closedLoop]
		}
	}
	return out
}

// controls replays negligible changes as a second baseline. Inferred holds reproduce the trace
// exactly only while nothing changes, because they were fitted to it; any change, however
// small, releases that fit. The control measures that effect alone.
func (m *replays) controls() {
	sums := make([]outcomes, len(m.parts))
	for _, by := range smallChanges {
		for i, out := range m.replay(m.c.slightlyShorter(by), m.parts) {
			sums[i].merge(&out)
		}
	}
	for i, p := range m.parts {
		for l := range sums[i] {
			sums[i][l].divide(int64(len(smallChanges)))
		}
		p.control = sums[i]
	}
}

// changed returns the outcomes with a change, and those without it in which the parts that it
// affects are the controls.
func (m *replays) changed(e *effect) (now, control outcomes) {
	var touched []*part
	for _, p := range m.parts {
		if e.touches(p) {
			touched = append(touched, p)
			control.merge(&p.control)
		} else {
			now.merge(&p.base)
			control.merge(&p.base)
		}
	}
	for _, out := range m.replay(e, touched) {
		now.merge(&out)
	}
	return now, control
}

// predict compares replays of the changed program with the replay of the trace and with the
// control. stuck says that the threads deadlock in all of them; with inferred holds such a
// replay is ignored, because the program did not.
func (m *replays) predict(e *effect) (throughput, waitNs Range, stuck bool) {
	changed, control := m.changed(e)
	throughput = Range{math.Inf(1), 0}
	waitNs = Range{math.Inf(1), 0}
	stuck = true
	spreads, taken := [2]float64{}, false
	for i := range changed {
		now, was := &changed[i], &m.base[i]
		if sum(&was.taken) == 0 {
			continue
		}
		taken = true
		if m.c.rebuilt && now.stuck {
			continue
		}
		for _, was := range []*outcome{was, &control[i]} {
			throughput.include(relative(sum(&now.taken), sum(&was.taken)))
			waitNs.include(relative(sum(&now.waited), sum(&was.waited)) * float64(m.c.waitNs))
		}
		stuck = stuck && now.stuck
		spreads[0], spreads[1] = max(
			spreads[0],
			spread(&now.taken, &was.taken),
		), max(
			spreads[1],
			spread(&now.waited, &was.waited),
		)
	}
	stuck = stuck && taken
	if !taken || !m.misfit.Fits() { // possibly nothing is gained
		throughput.include(1)
		waitNs.include(float64(m.c.waitNs))
	}
	chance := standardErrors * spreads[0]
	if m.c.rebuilt { // throughput varies by the waiting at most
		chance = min(chance, m.c.waitingShare())
	}
	return throughput.widen(
			m.misfit.Throughput + chance,
		), waitNs.widen(
			m.misfit.Waiting + standardErrors*spreads[1],
		), stuck
}

// relative returns a over b; 1 without a base.
func relative(a, b int64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}
