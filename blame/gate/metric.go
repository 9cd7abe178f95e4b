package gate

import (
	"math"
	"slices"
	"strings"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame/compare"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/format"
)

// Run is one analysed trace.
type Run struct {
	Profile *compare.Profile
	Locks   *locks.Collector // by class
	Trace   *analysis.Trace
	Stats   format.Stats

	Unmatched string // the filter that no name in the trace matches; "" if all match
	Cut       bool   // the rules are about a part of the time
	Trigger   bool   // the rules are about the samples themselves, not about what they are taken of

	overview *locks.Overview    // if a rule is about findings
	evidence *findings.Evidence // if a rule is about findings
	peaks    map[int64]*peaks   // by the length of an interval
	convoys  *convoys           // if a rule is about a change of durations
}

// NewRun returns a run to be filled: its visitors see the trace, and the caller sets Trace and
// Stats.
func NewRun(rules ...Rule) *Run {
	run := &Run{
		Profile:  &compare.Profile{},
		Locks:    locks.New(true),
		overview: overviewFor(rules),
		peaks:    map[int64]*peaks{},
	}
	if run.overview != nil {
		run.evidence = findings.NewEvidence(nil)
	}
	for i := range rules {
		if ns := rules[i].interval; ns > 0 {
			run.peaks[ns] = newPeaks(ns)
		}
		if rules[i].relative && rules[i].metric.unit == Ns && run.convoys == nil {
			run.convoys = newConvoys()
		}
	}
	return run
}

// Visitors returns the visitors that must see the trace.
func (run *Run) Visitors() []analysis.Visitor {
	list := []analysis.Visitor{run.Profile, run.Locks}
	if run.overview != nil {
		list = append(list, run.overview, run.evidence)
	}
	for _, p := range run.peaks {
		list = append(list, p)
	}
	if run.convoys != nil {
		list = append(list, run.convoys)
	}
	return list
}

// metric is a quantity that a rule can limit.
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

// measured is a value; unknown says that the trace does not give it.
type measured struct {
	rate    compare.Rate
	unknown bool
}

var deadlockMetric = metric{
	name:   "deadlock",
	unit:   Count,
	doubts: deadlockDoubts,
	measure: func(_ *Rule, runs []*Run) map[string]measured {
		n := 0
		for _, run := range runs {
			n += len(run.Trace.Deadlocks)
			if _, found := run.warned(format.CodeDeadlock); found && len(run.Trace.Deadlocks) == 0 {
				n++
			}
		}
		return map[string]measured{"deadlocks": {rate: compare.Rate{Value: float64(n)}}}
	},
}

// metrics are the quantities that rules can limit, besides deadlocks and findings.
var metrics = []metric{
	{"csp", Ratio, pressure, shareDoubts, classNames},
	{"waiting", Threads, averageWaiting, shareDoubts, classNames},
	{"blame", Ratio, ownerShare, blameDoubts, frameNames},
	{"p50", Ns, percentile(50), lengthDoubts, classNames},
	{"p90", Ns, percentile(90), lengthDoubts, classNames},
	{"p99", Ns, percentile(99), lengthDoubts, classNames},
	{"p99.9", Ns, percentile(99.9), lengthDoubts, classNames},
	{"p99.99", Ns, percentile(99.99), lengthDoubts, classNames},
	{"max", Ns, longest, lengthDoubts, classNames},
}

func metricNames() string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// counted reports whether a run counts acquisitions, which give no share of the time.
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

// pressure measures each class the pattern matches, or all locks together. A change is one of
// the waiting over the time elapsed, as in diff: if threads wait less they also run less, and
// pressure may rise.
func pressure(r *Rule, runs []*Run) map[string]measured {
	if r.relative {
		return averageWaiting(r, runs)
	}
	return r.rates(runs, func(of compare.Rates) measured { return measured{rate: of.Pressure} })
}

// averageWaiting measures the waiting over the time elapsed: the average number of waiting
// threads. An input that only counts threads has no such value.
func averageWaiting(r *Rule, runs []*Run) map[string]measured {
	none := !timed(runs)
	return r.rates(runs, func(of compare.Rates) measured { return measured{rate: of.Waiting, unknown: none} })
}

// timed reports whether all runs measure time.
func timed(runs []*Run) bool {
	return !slices.ContainsFunc(runs, func(run *Run) bool { return run.Stats.Unit != format.UnitTime })
}

// unit returns the unit of the rule's values: a change of a share is one of threads waiting on
// average.
func (r *Rule) unit() Unit {
	if r.relative && r.metric.unit == Ratio {
		return Threads
	}
	return r.metric.unit
}

// share returns the one of two rates that the rule is about.
func (r *Rule) share(of compare.Rates) compare.Rate {
	if r.unit() == Threads {
		return of.Waiting
	}
	return of.Pressure
}

// rates measures each class the pattern matches, or all locks together.
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

// ownerShare measures the waiting for all owners together whose call chain has a frame that
// the pattern matches.
func ownerShare(r *Rule, runs []*Run) map[string]measured {
	rates := group(runs).Owners(func(frame string) bool { return r.subject == Total || r.pattern.MatchString(frame) })
	return map[string]measured{r.subject: {rate: r.share(rates), unknown: r.relative && !timed(runs)}}
}

// percentile measures the length that q per cent of the waits do not exceed.
func percentile(q float64) func(*Rule, []*Run) map[string]measured {
	return lengthOf(q, func(r *locks.Row) int64 { return r.Percentile(q) })
}

// longest measures the longest wait.
var longest = lengthOf(100, func(r *locks.Row) int64 { return r.MaxNs })

// deviation returns the standard deviation of the q-th percentile of a row, ns, by that of its rank, which is
// binomial among as many waits as the convoys stand for. Where there are few convoys, or fewer than one of these
// waits is longer, it is at least that of the longest wait.
func deviation(r *locks.Row, q float64, ns int64, by *convoySums) float64 {
	n := float64(r.Waits) / by.effect(ns)
	part := 100 * math.Sqrt(q/100*(1-q/100)/n)
	within := float64(max(r.Percentile(min(q+part, 100))-ns, ns-r.Percentile(max(q-part, 0))))
	if by.few() || q+part > 100 || n*(1-q/100) < 1 {
		within = max(within, by.tail())
	}
	return within
}

// lengthOf measures a length of waits of each class the pattern matches, the q-th percentile. Of several runs the
// value is their mean.
func lengthOf(q float64, of func(*locks.Row) int64) func(*Rule, []*Run) map[string]measured {
	return func(r *Rule, runs []*Run) map[string]measured {
		values, none := map[string][]compare.Rate{}, map[string]bool{}
		for _, run := range runs {
			rows := run.Locks.Rows()
			if r.subject == Total {
				total := run.Locks.Total()
				total.Class = Total
				rows = []locks.Row{total}
			}
			for i := range rows {
				if row := &rows[i]; row.Waits > 0 && r.pattern.MatchString(row.Class) {
					ns := of(row)
					rate := compare.Rate{Value: float64(ns), WaitNs: row.WaitNs, Traces: 1}
					if run.convoys != nil {
						rate.Within = deviation(row, q, ns, run.convoys.ofClass(row.Class))
					}
					values[row.Class] = append(values[row.Class], rate)
					none[row.Class] = none[row.Class] ||
						row.MaxNs == 0 && row.WaitNs > 0 // sampled waits have no length
				}
			}
		}
		return means(values, func(class string) bool { return none[class] })
	}
}

// means returns the mean of each subject's values in several runs.
func means(values map[string][]compare.Rate, unknown func(name string) bool) map[string]measured {
	out := make(map[string]measured, len(values))
	for name, list := range values {
		out[name] = measured{mean(list), unknown(name)}
	}
	return out
}

// mean returns the mean of several values, with the error of their disagreement.
func mean(list []compare.Rate) compare.Rate {
	n := float64(len(list))
	m := compare.Rate{Traces: len(list), Half: math.Inf(1)}
	for _, v := range list {
		m.Value, m.WaitNs = m.Value+v.Value/n, m.WaitNs+v.WaitNs
		m.Within = math.Hypot(m.Within, v.Within/math.Sqrt(n))
	}
	if len(list) < 2 {
		return m
	}
	sum := 0.0
	for _, v := range list {
		sum += (v.Value - m.Value) * (v.Value - m.Value)
	}
	m.Spread = math.Sqrt(sum / (n - 1))
	m.SE, m.DF = m.Spread/math.Sqrt(n), n-1
	m.Half = m.SE * bootstrap.Student(m.DF, 0.975)
	return m
}
