package whatif

import (
	"math"
	"slices"
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

// model predicts what a change brings.
type model interface {
	// predict returns what a change brings, and whether threads then come to
	// wait for each other for ever.
	predict(e *effect) (throughput, waitNs Range, stuck bool)
}

// replays is the model of a trace that tells all tenures, or whose rebuilt ones
// fit together.
type replays struct {
	c       *Collector
	parts   []*part
	handing handing
	handoff [][]int64 // by lock: how long it took, each time
	typical []int64   // the median of that
	permits []int
	length  int64
	base    outcomes
	misfit  Misfit
}

// outcomes are those of one change when idle times keep their length, and when
// they keep their end.
type outcomes [2]outcome

// newReplays replays the unchanged trace.
func newReplays(c *Collector) *replays {
	threads := c.threads
	if c.rebuilt {
		threads = c.settled()
	}
	m := &replays{c: c, handoff: c.handoffs(), permits: c.permits(threads), length: c.end - c.start}
	m.typical = medians(m.handoff)
	recorded := int64(0)
	for i := range threads {
		recorded += int64(len(threads[i].holds))
	}
	m.parts = split(programs(threads, m.length), len(c.locks))
	m.choose(recorded)
	return m
}

// programs returns what threads do that take locks.
func programs(threads []thread, length int64) (list []program) {
	for i := range threads {
		if t := &threads[i]; len(t.holds) > 0 {
			steps := t.program(length)
			list = append(list, program{steps: steps, id: int32(len(list)), fixed: t.fixed, late: late(steps)})
		}
	}
	return list
}

// handing is how locks are handed over, which a trace does not tell.
type handing struct {
	typical bool // it takes the same time always, the median; else all times that were seen come again
	barges  bool // who comes takes a free lock, though another one was woken for it
}

// handings are tried in this order, until the replay fits.
var handings = [...]handing{{}, {typical: true}, {barges: true}, {typical: true, barges: true}}

// choose replays the unchanged trace, in which so many tenures were recorded, and
// finds how locks are handed over: as misses the trace least.
func (m *replays) choose(recorded int64) {
	best, e := math.Inf(1), m.c.unchanged()
	for _, h := range handings {
		out := m.every(e, h, false)
		all := total(out)
		fit := Misfit{math.Abs(ratio(sum(&all.waited), m.c.waitNs) - 1), math.Abs(ratio(sum(&all.taken), recorded) - 1)}
		if fit.worst() < best {
			best, m.misfit, m.handing, m.base[0] = fit.worst(), fit, h, all
			for i, p := range m.parts {
				p.base[0] = out[i]
			}
		}
		if m.misfit.Fits() {
			break
		}
	}
	if m.believed() {
		out := m.every(e, m.handing, true)
		m.base[1] = total(out)
		for i, p := range m.parts {
			p.base[1] = out[i]
		}
	}
}

// total sums what parts came to.
func total(parts []outcome) (all outcome) {
	for i := range parts {
		all.add(&parts[i])
	}
	return all
}

// believed reports whether the replay serves for predictions: of rebuilt tenures
// that do not fit another model does.
func (m *replays) believed() bool { return m.misfit.Fits() || !m.c.rebuilt }

// every replays all parts of a changed program.
func (m *replays) every(e *effect, h handing, open bool) []outcome {
	out := make([]outcome, len(m.parts))
	onAllCores(len(m.parts), func(i int) { out[i] = m.once(m.parts[i], e, h, open) })
	return out
}

// once replays a part.
func (m *replays) once(p *part, e *effect, h handing, open bool) outcome {
	r := replay{length: m.length, change: e, open: open, barges: h.barges, threads: make([]actor, len(p.programs)), stripes: make([]stripes, len(p.locks))}
	for i := range p.programs {
		r.threads[i].program = &p.programs[i]
	}
	for i, l := range p.locks {
		takes := m.handoff[l]
		if h.typical {
			takes = m.typical[l : l+1]
		}
		r.stripes[i] = stripes{int32(len(r.locks)), e.stripes[l].count}
		for range e.stripes[l].count {
			r.locks = append(r.locks, lock{handoff: takes, permits: m.permits[l], gone: e.gone[l]})
		}
	}
	return r.run()
}

// replay replays what a change is about; the rest is as it was.
func (m *replays) replay(e *effect) (out outcomes) {
	var touched []*part
	for _, p := range m.parts {
		if e.touches(p) {
			touched = append(touched, p)
			continue
		}
		for i := range out {
			out[i].add(&p.base[i])
		}
	}
	changed := make([]outcome, len(out)*len(touched))
	onAllCores(len(changed), func(i int) {
		changed[i] = m.once(touched[i/len(out)], e, m.handing, i%len(out) == 1)
	})
	for i := range changed {
		out[i%len(out)].add(&changed[i])
	}
	return out
}

// predict compares a replay of the changed program with that of the trace.
func (m *replays) predict(e *effect) (throughput, waitNs Range, stuck bool) {
	changed := m.replay(e)
	throughput, waitNs = Range{math.Inf(1), 0}, Range{math.Inf(1), 0}
	for i := range changed {
		throughput.include(ratio(sum(&changed[i].taken), sum(&m.base[i].taken)))
		waitNs.include(ratio(sum(&changed[i].waited), sum(&m.base[i].waited)) * float64(m.c.waitNs))
	}
	if !m.misfit.Fits() { // the truth may be that nothing is won
		throughput.include(1)
		waitNs.include(float64(m.c.waitNs))
	}
	chance := errors * spread(&changed[0].taken, &m.base[0].taken)
	if m.c.rebuilt { // waits vary more than what was done: at most by what there is of them
		chance = min(chance, m.c.waitingPart())
	}
	throughput = throughput.widen(m.misfit.Throughput + chance)
	waitNs = waitNs.widen(m.misfit.Waiting + errors*spread(&changed[0].waited, &m.base[0].waited))
	return throughput, waitNs, changed[0].stuck
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// errors is how many standard errors a range reaches beyond its ends.
const errors = 2

// spread is the standard error of the ratio of two sums, as a part of it, from
// how much each varies from window to window: the trace is one run of the
// program, and what is predicted would be another.
func spread(a, b *[windows]int64) float64 { return math.Hypot(standardError(a), standardError(b)) }

// unrest is how much the throughput of two runs of a recorded program may differ
// by chance, from how much the time in which its threads did not wait varies.
func (c *Collector) unrest() float64 {
	var ran [windows]int64
	part := max((c.end-c.start)/windows, 1)
	for _, t := range c.everyTenure() {
		if t.thread >= 0 {
			ran[min(t.start/part, windows-1)] -= t.start - t.asked
		}
	}
	for i := range ran {
		ran[i] = max(ran[i]+part*int64(c.takers), 0)
	}
	return errors * spread(&ran, &ran)
}

// waitingPart returns how much of the time of threads that take locks is waiting.
func (c *Collector) waitingPart() float64 {
	c.everyTenure()
	return float64(c.waitNs) / max(float64(c.end-c.start)*float64(c.takers), 1)
}

// standardError is that of the mean of some windows, as a part of it. It goes by
// how far neighbours differ: that a program has phases is no chance. Where it
// began is none either, so the greatest difference is left out.
func standardError(parts *[windows]int64) float64 {
	mean := float64(sum(parts)) / windows
	if mean == 0 {
		return 0
	}
	var apart [windows - 1]float64
	for i := range apart {
		d := float64(parts[i+1]-parts[i]) / mean
		apart[i] = d * d / 2
	}
	slices.Sort(apart[:])
	square := 0.0
	for _, d := range apart[:len(apart)-1] {
		square += d
	}
	return math.Sqrt(square / (windows - 2) / windows)
}
