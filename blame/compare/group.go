package compare

import (
	"math"
	"slices"
	"strings"

	"contend/analysis"
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
	Spread float64 // standard deviation from one trace to the next, of at least fewest traces; else 0
}

// fewest is how many traces it takes to say how far they disagree.
const fewest = 3

// Group is the traces of one side.
type Group []*Profile

// RunningNs returns the running time of all traces together.
func (g Group) RunningNs() int64 {
	sum := int64(0)
	for _, p := range g {
		sum += total(p.finish().Series(bootstrap.Running))
	}
	return sum
}

// Blocks returns the shortest and the longest block any trace would be drawn
// in for the sum of all waiting, in nanoseconds.
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

// Rates are what a row takes of the running time of all threads, which is its
// pressure, and of the time elapsed: so many threads waited on average.
type Rates struct{ Pressure, Waiting Rate }

// base is what a rate is over: the cells of a trace and their sum.
type base func(p *Profile) (cells []int64, ns int64)

func runningTime(p *Profile) ([]int64, int64) {
	cells := p.finish().Series(bootstrap.Running)
	return cells, total(cells)
}

func elapsedTime(p *Profile) ([]int64, int64) { return p.finish().Length, p.elapsed() }

// rates are a row over both.
func (g Group) rates(of func(p *Profile) sum) Rates {
	sums := make(map[*Profile]sum, len(g))
	for _, p := range g {
		sums[p] = of(p)
	}
	known := func(p *Profile) sum { return sums[p] }
	return Rates{g.over(runningTime, known), g.over(elapsedTime, known)}
}

// ElapsedNs returns how long all traces were recorded, together.
func (g Group) ElapsedNs() (ns int64) {
	for _, p := range g {
		ns += p.elapsed()
	}
	return ns
}

// over pools the traces of a side. What each trace says of its own error is
// added up; from fewest traces on, how far they disagree is held against it,
// and the larger counts.
func (g Group) over(den base, of func(p *Profile) sum) Rate {
	whole := 0.0
	for _, p := range g {
		_, ns := den(p)
		whole += float64(ns)
	}
	r := Rate{Traces: len(g)}
	var values, weights []float64
	within, blocks := 0.0, 0
	for _, p := range g {
		num := of(p)
		r.WaitNs += num.ns
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
	r.Value, r.SE, r.DF = float64(r.WaitNs)/whole, math.Sqrt(within), float64(blocks)
	if len(g) >= fewest {
		between := disagreement(values, weights, r.Value)
		r.Spread = between * math.Sqrt(float64(len(g)))
		r.atLeast(between, len(g))
	}
	r.Half = r.SE * bootstrap.Student(r.DF, 0.975)
	return r
}

// estimate returns a row of a trace over some cells, which stand for ns. A row without cells
// has an infinite SE, and no bootstrap is drawn: in a trace with many stacks these are nearly
// all rows.
func (p *Profile) estimate(num *sum, cells []int64, ns int64) bootstrap.Estimate {
	if num.partial {
		return bootstrap.Estimate{Value: float64(num.ns) / float64(ns), SE: math.Inf(1)}
	}
	e := p.finish().Ratio(num.cells, cells)
	return e.Scale(float64(total(cells)) / float64(ns)) // cells may span time that was not recorded
}

// scale returns a rate of something else: so much as one of it is.
func (r Rate) scale(factor float64) Rate {
	r.Value, r.Half, r.SE, r.Spread = r.Value*factor, r.Half*factor, r.SE*factor, r.Spread*factor
	return r
}

// atLeast raises the error of a rate to what traces disagree by; without one
// of its own it is that.
func (r *Rate) atLeast(between float64, traces int) {
	if between > r.SE || math.IsInf(r.SE, 1) {
		r.SE, r.DF = between, float64(traces-1)
	}
}

// ShareSpread gives the spread of the side with several traces to the one with
// few: a single run varies as much as each of the others did.
func ShareSpread(a, b Rate) (Rate, Rate) {
	a.takeSpread(&b)
	b.takeSpread(&a)
	return a, b
}

// takeSpread raises the error of a side without a spread to that of the other.
func (r *Rate) takeSpread(from *Rate) {
	if from.Spread > 0 && r.Spread == 0 && r.Traces > 0 {
		r.atLeast(from.Spread/math.Sqrt(float64(r.Traces)), from.Traces)
	}
}

// Classes returns the classes of the locks waited for in any trace, in order.
func (g Group) Classes() []string {
	var all []string
	for _, p := range g {
		for _, name := range p.sites.names {
			class, _, _ := strings.Cut(name, siteOf)
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
		for i, name := range p.sites.names {
			if class, _, _ := strings.Cut(name, siteOf); wanted(class) {
				list = append(list, i)
			}
		}
		return p.sites.sum(p, list)
	})
}

// Owners returns the rates at which others waited for the owners whose call chain has a wanted frame, as Class.method; pseudo owners are
// frames of their own.
func (g Group) Owners(wanted func(frame string) bool) Rates {
	return g.rates(func(p *Profile) sum {
		var list []int
		for i, name := range p.owners.names {
			if slices.ContainsFunc(strings.Split(name, callOf), wanted) {
				list = append(list, i)
			}
		}
		return p.owners.sum(p, list)
	})
}

// disagreement is the standard error of a weighted mean, from how far the
// values lie apart.
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

func total(s []int64) (sum int64) {
	for _, ns := range s {
		sum += ns
	}
	return sum
}

// called returns the rows by what they are called, which several may share.
func (r *rows) called(what func(name string) string) map[string][]int {
	out := make(map[string][]int, len(r.names))
	for i, name := range r.names {
		out[what(name)] = append(out[what(name)], i)
	}
	return out
}

// byName sums the rows of a table that are called the same and returns their
// rates.
func byName(g Group, table func(p *Profile) *rows, what func(name string) string) map[string]Rates {
	lists := make(map[*Profile]map[string][]int, len(g))
	out := map[string]Rates{}
	for _, p := range g {
		lists[p] = table(p).called(what)
		for name := range lists[p] {
			out[name] = Rates{}
		}
	}
	for name := range out {
		out[name] = g.rates(func(p *Profile) sum { return table(p).sum(p, lists[p][name]) })
	}
	return out
}

// sum is what rows of a trace add up to.
type sum struct {
	ns      int64
	cells   []int64 // the same, by cell of time; none of a sum that is partial
	partial bool    // the cells of some rows were not kept
}

// sum adds up rows, given by their numbers.
func (r *rows) sum(p *Profile, list []int) (out sum) {
	c := p.finish()
	for _, i := range list {
		out.ns += r.ns[i]
		out.partial = out.partial || r.series[i] == bootstrap.NoSeries
	}
	if out.partial {
		return out
	}
	if len(list) == 1 {
		out.cells = c.Series(r.series[list[0]])
		return out
	}
	out.cells = make([]int64, len(c.Length))
	for _, i := range list {
		for j, ns := range c.Series(r.series[i]) {
			out.cells[j] += ns
		}
	}
	return out
}

// lockNames gives each site, as the profiles of all groups name it, the name
// of the lock acquired there: its class and every site one of its locks was
// seen at, in any trace. Two traces so agree on the name even if one of them
// never met a rare site.
func lockNames(groups ...Group) map[string]string {
	parent := map[string]string{}
	var find func(string) string
	find = func(s string) string {
		if p, ok := parent[s]; ok && p != s {
			parent[s] = find(p)
			return parent[s]
		}
		parent[s] = s
		return s
	}
	for _, g := range groups {
		for _, p := range g {
			for _, name := range p.sites.names {
				find(name)
			}
			for l := range p.links {
				parent[find(p.sites.names[l[0]])] = find(p.sites.names[l[1]])
			}
		}
	}
	members := map[string][]string{}
	for s := range parent {
		members[find(s)] = append(members[find(s)], s)
	}
	names := make(map[string]string, len(parent))
	for _, list := range members {
		name := lockName(list)
		for _, s := range list {
			names[s] = name
		}
	}
	return names
}

// knownSites returns, by the name of a lock, the place by which the most waited for of all that
// have the name is known.
func knownSites(names map[string]string, groups ...Group) map[string]string {
	out, most := map[string]string{}, map[string]int64{}
	for _, g := range groups {
		for _, p := range g {
			for _, l := range p.Known {
				if int(l.Lock) >= len(p.home) || p.home[l.Lock] == 0 || l.Site == "" {
					continue
				}
				if name := names[p.sites.names[p.home[l.Lock]-1]]; l.WaitNs > most[name] {
					most[name], out[name] = l.WaitNs, analysis.StableName(analysis.WithoutLine(l.Site))
				}
			}
		}
	}
	return out
}

// lockName writes a lock as Class at method, method.
func lockName(sites []string) string {
	slices.Sort(sites)
	class, _, _ := strings.Cut(sites[0], siteOf)
	methods := make([]string, len(sites))
	for i, s := range sites {
		_, methods[i], _ = strings.Cut(s, siteOf)
	}
	return class + siteOf + strings.Join(slices.Compact(methods), ", ")
}
