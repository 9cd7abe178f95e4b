package gate

import (
	"math"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame/compare"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/format"
)

// Run is one trace, analysed.
type Run struct {
	Profile *compare.Profile
	Locks   *locks.Collector // by class
	Trace   *analysis.Trace
	Stats   format.Stats

	Unmatched string // which filter no name in the trace matches; "" where all match some
	Cut       bool   // only a part of the time is held against rules

	about    *locks.Overview    // where a rule is about findings
	evidence *findings.Evidence // the same
	peaks    map[int64]*peaks   // by the length of an interval
}

// NewRun returns a run to be filled: its visitors go over the trace, and Trace
// is what that yields.
func NewRun(rules ...Rule) *Run {
	r := &Run{Profile: &compare.Profile{}, Locks: locks.New(true), about: overviewFor(rules), peaks: map[int64]*peaks{}}
	if r.about != nil {
		r.evidence = findings.NewEvidence()
	}
	for i := range rules {
		if ns := rules[i].interval; ns > 0 {
			r.peaks[ns] = newPeaks(ns)
		}
	}
	return r
}

// Visitors returns what must see the trace.
func (r *Run) Visitors() []analysis.Visitor {
	list := []analysis.Visitor{r.Profile, r.Locks}
	if r.about != nil {
		list = append(list, r.about, r.evidence)
	}
	for _, p := range r.peaks {
		list = append(list, p)
	}
	return list
}

// metric is something a rule can limit.
type metric struct {
	name string
	unit Unit
	// measure returns a value for each subject of the runs that the rule
	// names; its errors are those of compare.Rate.
	measure func(r *Rule, runs []*Run) map[string]measured
	// doubts are what may keep a run from deciding that the rule holds.
	doubts []doubter
	// names returns what a pattern is held against; nil where there is none.
	names func(run *Run) []string
}

// measured is a value; none says that the trace cannot give it.
type measured struct {
	compare.Rate
	none bool
}

var deadlock = metric{name: "deadlock", unit: Count, doubts: ofDeadlocks, measure: func(_ *Rule, runs []*Run) map[string]measured {
	n := 0
	for _, run := range runs {
		n += len(run.Trace.Deadlocks)
		if _, found := run.warned(format.CodeDeadlock); found && len(run.Trace.Deadlocks) == 0 {
			n++
		}
	}
	return map[string]measured{"deadlocks": {Rate: compare.Rate{Value: float64(n)}}}
}}

// metrics are what rules can limit, besides deadlocks.
var metrics = []metric{
	{"csp", Ratio, pressure, ofShares, classes},
	{"waiting", Threads, onAverage, ofShares, classes},
	{"blame", Ratio, caused, ofBlame, frames},
	{"p50", Ns, percentile(50), ofLengths, classes},
	{"p90", Ns, percentile(90), ofLengths, classes},
	{"p99", Ns, percentile(99), ofLengths, classes},
	{"p99.9", Ns, percentile(99.9), ofLengths, classes},
	{"p99.99", Ns, percentile(99.99), ofLengths, classes},
	{"max", Ns, length(func(r *locks.Row) int64 { return r.MaxNs }), ofLengths, classes},
}

func metricNames() string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// counted reports whether a run counts acquisitions, from which no share of the time follows.
func counted(run *Run) bool { return run.Stats.Unit.Summed() }

func group(runs []*Run) compare.Group {
	g := make(compare.Group, len(runs))
	for i, r := range runs {
		g[i] = r.Profile
		if r.Trace != nil && r.Stats.Unit == format.UnitTime {
			r.Profile.ElapsedNs = r.Trace.ElapsedNs
		}
	}
	return g
}

// pressure measures each class the pattern names, or all locks together. A change is
// one of the waiting over the time elapsed, as diff has it: where threads wait less,
// they also run less, and pressure may rise.
func pressure(r *Rule, runs []*Run) map[string]measured {
	if r.relative {
		return onAverage(r, runs)
	}
	return r.rates(runs, func(of compare.Rates) measured { return measured{Rate: of.Pressure} })
}

// onAverage is pressure over the time elapsed: so many threads waited on
// average. What only counts threads has no time they waited in.
func onAverage(r *Rule, runs []*Run) map[string]measured {
	none := !timed(runs)
	return r.rates(runs, func(of compare.Rates) measured { return measured{Rate: of.Waiting, none: none} })
}

// timed reports whether all runs measure time.
func timed(runs []*Run) bool {
	return !slices.ContainsFunc(runs, func(run *Run) bool { return run.Stats.Unit != format.UnitTime })
}

// unit is what the rule's values are in: a change of a share is one of threads waiting
// on average.
func (r *Rule) unit() Unit {
	if r.relative && r.metric.unit == Ratio {
		return Threads
	}
	return r.metric.unit
}

// share is the one of two rates that the rule is about.
func (r *Rule) share(of compare.Rates) compare.Rate {
	if r.unit() == Threads {
		return of.Waiting
	}
	return of.Pressure
}

// rates are those of each class the pattern names, or of all locks together.
func (r *Rule) rates(runs []*Run, of func(compare.Rates) measured) map[string]measured {
	g, out := group(runs), map[string]measured{}
	if r.interval > 0 {
		return r.peak(runs)
	}
	if r.subject == Total {
		out[Total] = of(g.Locks(func(string) bool { return true }))
		return out
	}
	for _, class := range g.Classes() {
		if r.pattern.MatchString(class) {
			out[class] = of(g.Locks(func(c string) bool { return c == class }))
		}
	}
	return out
}

// caused measures what all owners together caused whose call chain has a
// frame the pattern names.
func caused(r *Rule, runs []*Run) map[string]measured {
	rates := group(runs).Owners(func(frame string) bool { return r.subject == Total || r.pattern.MatchString(frame) })
	return map[string]measured{r.subject: {Rate: r.share(rates), none: r.relative && !timed(runs)}}
}

// percentile measures the length that q per cent of the waits do not exceed.
func percentile(q float64) func(*Rule, []*Run) map[string]measured {
	return length(func(r *locks.Row) int64 { return r.Percentile(q) })
}

// length measures a length of waits of each class the pattern names. Of several
// runs the value is their mean, and what they disagree by its error.
func length(of func(*locks.Row) int64) func(*Rule, []*Run) map[string]measured {
	return func(r *Rule, runs []*Run) map[string]measured {
		values, none := map[string][]float64{}, map[string]bool{}
		for _, run := range runs {
			rows := run.Locks.Rows()
			if r.subject == Total {
				total := run.Locks.Total()
				total.Class = Total
				rows = []locks.Row{total}
			}
			for i := range rows {
				if row := &rows[i]; row.Waits > 0 && r.pattern.MatchString(row.Class) {
					values[row.Class] = append(values[row.Class], float64(of(row)))
					none[row.Class] = none[row.Class] || row.MaxNs == 0 && row.WaitNs > 0 // sampled waits have no length
				}
			}
		}
		return means(values, func(class string) bool { return none[class] })
	}
}

// means sums up the values of each subject in several runs.
func means(values map[string][]float64, none func(name string) bool) map[string]measured {
	out := make(map[string]measured, len(values))
	for name, list := range values {
		out[name] = measured{mean(list), none(name)}
	}
	return out
}

// mean sums up a value of several runs.
func mean(list []float64) compare.Rate {
	n := float64(len(list))
	m := compare.Rate{Traces: len(list)}
	for _, v := range list {
		m.Value += v / n
	}
	if len(list) < 2 {
		return m
	}
	sum := 0.0
	for _, v := range list {
		sum += (v - m.Value) * (v - m.Value)
	}
	m.Spread = math.Sqrt(sum / (n - 1))
	m.SE, m.DF = m.Spread/math.Sqrt(n), n-1
	return m
}
