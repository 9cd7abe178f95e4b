package compare

import (
	"math"
	"slices"
	"strings"

	"contend/analysis/bootstrap"
)

// Rate is WaitNs over the running time (critical section pressure) or over the
// time elapsed, estimated from one or several traces.
type Rate struct {
	WaitNs int64 // over all traces
	Value  float64
	Half   float64 // half of the 95 % interval
	SE     float64
	DF     float64 // degrees of freedom of SE
	Traces int
	Spread float64 // standard deviation between traces; 0 of one
	Within float64 // standard deviation of one trace by its own variation
	Wrong  float64 // of Value and of the other owners' of the locks, the part expected to have a wrong owner
	Unsure bool    // most of the owners are expected to be wrong
}

// minTraces is the number of traces from which their disagreement alone is an error.
const minTraces = 3

// Group is the traces of one side.
type Group []*Profile

// RunningNs returns the running time of all traces together.
func (g Group) RunningNs() int64 {
	sum := int64(0)
	for _, p := range g {
		sum += sumOf(p.finish().Series(bootstrap.Running))
	}
	return sum
}

// Blocks returns the shortest and the longest bootstrap block of any trace, for the sum of all
// waiting, in nanoseconds.
func (g Group) Blocks() (shortest, longest int64) {
	for _, p := range g {
		c := p.finish()
		ns := c.Ratio(c.Series(p.total), c.Series(bootstrap.Running)).BlockNs
		if shortest == 0 || ns < shortest {
			shortest = ns
		}
		longest = max(longest, ns)
	}
	return shortest, longest
}

// Rates are the waiting of a row over the running time of all threads, which is its pressure,
// and over the time elapsed, which is the average number of waiting threads.
type Rates struct{ Pressure, Waiting Rate }

// denominator returns the cells of a trace that a rate is over, and their sum.
type denominator func(p *Profile) (cells []int64, ns int64)

func runningTime(p *Profile) ([]int64, int64) {
	cells := p.finish().Series(bootstrap.Running)
	return cells, sumOf(cells)
}

func elapsedTime(p *Profile) ([]int64, int64) { return p.finish().Length, p.elapsed() }

// rates returns both rates of a row.
func (g Group) rates(of func(p *Profile) sum) Rates {
	sums := make(map[*Profile]sum, len(g))
	for _, p := range g {
		sums[p] = of(p)
	}
	known := func(p *Profile) sum { return sums[p] }
	return Rates{g.pooled(runningTime, known), g.pooled(elapsedTime, known)}
}

// ElapsedNs returns the sum of the recorded times of all traces.
func (g Group) ElapsedNs() (ns int64) {
	for _, p := range g {
		ns += p.elapsed()
	}
	return ns
}

// pooled pools the traces of a side. The errors of the traces are added up; from minTraces on,
// the error is at least the one that their disagreement gives.
func (g Group) pooled(den denominator, of func(p *Profile) sum) Rate {
	whole := 0.0
	for _, p := range g {
		_, ns := den(p)
		whole += float64(ns)
	}
	r := Rate{Traces: len(g)}
	var values, weights []float64
	within := 0.0
	blocks := 0
	wrong := 0.0
	own := 0.0
	for _, p := range g {
		num := of(p)
		r.WaitNs += num.ns
		wrong, own = wrong+float64(num.wrongNs), own+float64(num.ownNs)
		cells, ns := den(p)
		if whole <= 0 || ns <= 0 {
			continue
		}
		e, w := p.estimate(&num, cells, ns), float64(ns)/whole
		values, weights = append(values, e.Value), append(weights, w)
		within += w * w * e.SE * e.SE
		blocks += max(e.Blocks-1, 0)
	}
	if whole <= 0 {
		return r
	}
	r.Value = float64(r.WaitNs) / whole
	r.SE = math.Sqrt(within)
	r.DF = float64(blocks)
	r.Within = r.SE * math.Sqrt(float64(len(g)))
	r.Wrong, r.Unsure = wrong/whole, 2*own > float64(r.WaitNs)
	between := disagreement(values, weights, r.Value)
	r.Spread = between * math.Sqrt(float64(len(g)))
	if len(g) >= minTraces && (between > r.SE || math.IsInf(r.SE, 1)) {
		r.SE, r.DF = between, float64(len(g)-1)
	}
	r.Half = r.SE * bootstrap.Student(r.DF, 0.975)
	return r
}

// estimate returns the rate of a row of a trace over some cells, which stand for ns. A row
// without cells has no error estimate: SE is +Inf and no bootstrap is drawn. In a trace with
// many stacks these are nearly all rows.
func (p *Profile) estimate(num *sum, cells []int64, ns int64) bootstrap.Estimate {
	if num.partial {
		return bootstrap.Estimate{Value: float64(num.ns) / float64(ns), SE: math.Inf(1)}
	}
	e := p.finish().Ratio(num.cells, cells)
	return e.Scale(float64(sumOf(cells)) / float64(ns)) // cells may span time that was not recorded
}

// scale returns the rate in another unit.
func (r Rate) scale(factor float64) Rate {
	for _, v := range []*float64{&r.Value, &r.Half, &r.SE, &r.Spread, &r.Within, &r.Wrong} {
		*v *= factor
	}
	return r
}

// Classes returns the classes of the locks waited for in any trace, in order.
func (g Group) Classes() []string {
	var all []string
	for _, p := range g {
		for _, name := range p.sites.names.List {
			class, _, _ := strings.Cut(name, siteSeparator)
			all = append(all, class)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Locks returns the rates of all locks together whose class is wanted.
func (g Group) Locks(wanted func(class string) bool) Rates {
	return g.rates(func(p *Profile) sum {
		var list []int
		for i, name := range p.sites.names.List {
			if class, _, _ := strings.Cut(name, siteSeparator); wanted(class) {
				list = append(list, i)
			}
		}
		return p.sites.sum(p, list)
	})
}

// Owners returns the rates of the waiting for owners whose call chain has a wanted frame, as
// Class.method; a pseudo owner is a frame.
func (g Group) Owners(wanted func(frame string) bool) Rates {
	return g.rates(func(p *Profile) sum {
		var list []int
		for i, name := range p.owners.names.List {
			if slices.ContainsFunc(strings.Split(name, callSeparator), wanted) {
				list = append(list, i)
			}
		}
		return p.owners.sum(p, list)
	})
}

// disagreement returns the standard error of a weighted mean from the distances of the values.
func disagreement(values, weights []float64, mean float64) float64 {
	if len(values) < 2 {
		return 0
	}
	sum := 0.0
	for i, v := range values {
		sum += weights[i] * weights[i] * (v - mean) * (v - mean)
	}
	n := float64(len(values))
	return math.Sqrt(sum * n / (n - 1))
}

func sumOf(s []int64) (sum int64) {
	for _, ns := range s {
		sum += ns
	}
	return sum
}
