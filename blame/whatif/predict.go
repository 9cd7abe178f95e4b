package whatif

import (
	"math"
	"slices"

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
	note    func(p *part, l int, o *outcome) // takes what each part of a replay comes to; nil for none
}

// loops are those of the ends of a range; the last one is for tenures that were
// rebuilt.
var loops = [...]loop{{}, {open: true}, {likely: true}}

// outcomes are those of one change, by loop.
type outcomes [len(loops)]outcome

// newReplays replays the unchanged trace.
func newReplays(c *Collector) *replays {
	threads := c.settled()
	m := &replays{c: c, permits: c.permits(threads), length: c.end - c.start}
	if c.rebuilt {
		c.limitPermits(threads, m.permits)
	}
	recorded := int64(0)
	for i := range threads {
		recorded += int64(len(threads[i].holds))
	}
	each := programs(threads, m.length)
	gettings, typical := c.handover(threads, m.permits)
	m.typical = typical
	for i := range each {
		each[i].got = gettings[each[i].thread]
	}
	m.parts = split(each, len(c.locks))
	all := func(*part) bool { return true }
	m.note = func(p *part, l int, o *outcome) { p.base[l] = *o }
	m.base = m.replay(c.unchanged(), all)
	m.note = nil
	m.controls(all)
	m.misfit = Misfit{math.Abs(ratio(sum(&m.base[0].waited), c.waitNs) - 1), math.Abs(ratio(sum(&m.base[0].taken), recorded) - 1)}
	return m
}

// programs returns what threads do that take locks.
func programs(threads []thread, length int64) (list []program) {
	for i := range threads {
		if t := &threads[i]; len(t.holds) > 0 {
			steps := t.program(length)
			list = append(list, program{steps: steps, thread: int32(i), late: late(steps)})
		}
	}
	return list
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

// replay replays the parts that a change touches; the others are as they were.
func (m *replays) replay(e *effect, touches func(*part) bool) (out outcomes) {
	n := len(loops)
	if !m.c.rebuilt {
		n-- // all that is held is known
	}
	var runs []run
	for _, p := range m.parts {
		if touches(p) {
			runs = append(runs, p.runs(n)...)
			continue
		}
		for i := range n {
			out[i].add(&p.base[i])
		}
	}
	changed := make([]outcome, len(runs))
	workers.Each(len(runs), func(i int) { changed[i] = m.once(runs[i].part, e, loops[runs[i].loops[0]]) })()
	for i := range runs {
		for _, l := range runs[i].loops {
			if out[l].add(&changed[i]); m.note != nil {
				m.note(runs[i].part, l, &changed[i])
			}
		}
	}
	return out
}

// run is one replay of a part, for the loops in which it is the same.
type run struct {
	part  *part
	loops []int
}

// runs returns the replays of a part that the first n loops need. Where nothing comes
// from outside the first two are one.
func (p *part) runs(n int) []run {
	list := []run{{p, []int{0, 1}}}
	if p.comes {
		list = []run{{p, []int{0}}, {p, []int{1}}}
	}
	for l := 2; l < n; l++ {
		list = append(list, run{p, []int{l}})
	}
	return list
}

// controls replays the program hardly changed. Of tenures that were not rebuilt the
// replay of the trace is the program, and its own control.
func (m *replays) controls(all func(*part) bool) {
	for _, p := range m.parts {
		p.control = p.base
	}
	if !m.c.rebuilt {
		return
	}
	for _, p := range m.parts {
		p.control = outcomes{}
	}
	m.note = func(p *part, l int, o *outcome) { p.control[l].add(o) }
	for _, by := range slight {
		m.replay(m.c.hardly(by), all)
	}
	m.note = nil
	for _, p := range m.parts {
		for l := range p.control {
			p.control[l].share(int64(len(slight)))
		}
	}
}

// control is what a change is compared with beside the trace. Rebuilt tenures, handed
// over as they were, give the trace again as long as nothing is changed at all: they
// were made of it. The first change, however small, frees the replay from that, and may
// bring more than what it is about: that is in a program that is hardly changed, too.
func (m *replays) control(e *effect) (out outcomes) {
	for _, p := range m.parts {
		for l := range out {
			if e.touches(p) {
				out[l].add(&p.control[l])
			} else {
				out[l].add(&p.base[l])
			}
		}
	}
	return out
}

// predict compares replays of the changed program with those of the trace. Where
// rebuilt tenures lock up in one of them, as the program did not, it says nothing.
func (m *replays) predict(e *effect) (throughput, waitNs Range, stuck bool) {
	changed, control := m.replay(e, e.touches), m.control(e)
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
	chance := errors * spreads[0]
	if m.c.rebuilt { // waits vary more than what was done: at most by what there is of them
		chance = min(chance, m.c.waitingPart())
	}
	return throughput.widen(m.misfit.Throughput + chance), waitNs.widen(m.misfit.Waiting + errors*spreads[1]), stuck
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// errors is how many standard errors a range reaches beyond its ends.
const errors = 2

// shown is the part of the variance of windows that the smaller ones of their
// differences show on average, the greatest left out: of normal ones, by drawing.
const shown = 0.697

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
// began is none either, so the greatest difference is left out, and by what the
// others show less for that the error is raised.
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
	return math.Sqrt(square / (windows - 2) / shown / windows)
}
