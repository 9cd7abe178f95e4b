package whatif

import (
	"math"
	"slices"
	"sync"
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
func (m *Misfit) Fits() bool { return max(m.Waiting, m.Throughput) <= tooFar }

// model predicts what a change brings.
type model interface {
	// predict returns what a change brings, and whether threads then come to
	// wait for each other for ever.
	predict(e *effect) (throughput, waitNs Range, stuck bool)
}

// replays is the model of a trace that tells all tenures, or whose rebuilt ones
// fit together.
type replays struct {
	c        *Collector
	programs [][]step
	fixed    []bool // by program: it happens when it did
	handoff  []int64
	length   int64
	base     outcomes
	misfit   Misfit
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
	m := &replays{c: c, handoff: c.handoffs(), length: c.end - c.start}
	recorded := int64(0)
	for i := range threads {
		if t := &threads[i]; len(t.holds) > 0 {
			recorded += int64(len(t.holds))
			m.programs = append(m.programs, t.program(m.length))
			m.fixed = append(m.fixed, t.fixed)
		}
	}
	m.base = m.replay(c.unchanged())
	m.misfit = Misfit{
		Waiting:    math.Abs(ratio(sum(&m.base[0].waited), c.waitNs) - 1),
		Throughput: math.Abs(ratio(sum(&m.base[0].taken), recorded) - 1),
	}
	return m
}

func (m *replays) replay(e *effect) (out outcomes) {
	var both sync.WaitGroup
	for i, open := range [...]bool{false, true} {
		both.Go(func() {
			r := replay{length: m.length, change: e, open: open, threads: make([]actor, len(m.programs))}
			for t, p := range m.programs {
				r.threads[t].steps, r.threads[t].fixed = p, m.fixed[t]
			}
			for l, s := range e.stripes {
				for range s.count {
					r.locks = append(r.locks, lock{handoff: m.handoff[l]})
				}
			}
			out[i] = r.run()
		})
	}
	both.Wait()
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
	throughput = throughput.widen(m.misfit.Throughput + errors*spread(&changed[0].taken, &m.base[0].taken))
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
