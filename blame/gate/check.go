package gate

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame/compare"
)

// Status is the outcome of a rule.
type Status string

// The statuses. Undecided means that the trace cannot decide: silence is not health.
const (
	Pass      Status = "pass"
	Fail      Status = "fail"
	Undecided Status = "undecided"
)

// Result is the outcome of one rule with its subjects, worst first.
type Result struct {
	Rule     string
	Unit     Unit
	Relative bool // a change over a baseline
	Status   Status
	Doubt    Doubt // why it is undecided
	Subjects []Subject
}

// Subject is one measurement of a rule.
type Subject struct {
	Name   string
	Status Status
	Value  float64
	Half   float64 // half of the 95 % interval; infinite if it is unknown
	Limit  float64 // for Value; of a change, the baseline with the allowed change
	Base   float64 // of a change: the baseline
	Noise  float64 // of a change: excess over the limit that is still noise
	Range  *Range  // of a share of the running time that is known in a range; else nil

	unknown bool // the trace does not give the value
	near    bool // the limit lies within the interval of samples
}

// Check checks rules against runs, each the trace of one run of the same program; baseline may
// be empty if no rule needs it.
//
// An absolute limit is compared with the value itself, or with the interval of an estimate from
// samples: a limit within it is undecided. A change is compared with the
// baseline's value and the variance of both sides: it fails if it exceeds the limit by more
// than chance explains, one-sided, at 5 %. What runs vary is that of compare.Between.
func Check(rules []Rule, runs, baseline []*Run) []Result {
	out := make([]Result, len(rules))
	for i := range rules {
		out[i] = rules[i].check(runs, baseline)
	}
	return out
}

// Worst returns the status of all rules together.
func Worst(results []Result) Status {
	all := Pass
	for i := range results {
		all = worse(all, results[i].Status)
	}
	return all
}

// falseAlarms is the probability that a rule about changes fails although nothing changed, for
// all its subjects together.
const falseAlarms = 0.05

func (r *Rule) check(runs, baseline []*Run) Result {
	res := Result{Rule: r.Text, Unit: r.unit(), Relative: r.relative, Status: Pass}
	var base map[string]measured
	if r.relative {
		base = r.metric.measure(r, baseline)
	}
	values := r.metric.measure(r, runs)
	counts := r.metric.unit == Ratio && slices.ContainsFunc(slices.Concat(runs, baseline), counted)
	for _, name := range slices.Sorted(maps.Keys(values)) { // the first doubt is reported
		v := values[name]
		v.unknown = v.unknown || counts
		s := r.absolute(v, runs)
		if r.relative {
			s = r.change(v, base[name], len(baseline), falseAlarms/float64(len(values)))
		}
		if !r.relative && r.unit() == Ratio {
			s.Range = rangeOf(&s, runs)
		}
		s.Name, s.unknown = name, s.unknown || v.unknown || base[name].unknown
		if s.Status == Pass {
			s.Status = r.decide(&res, &s, runs, baseline)
		}
		res.Subjects = append(res.Subjects, s)
		res.Status = worse(res.Status, s.Status)
	}
	if len(values) == 0 {
		silent := Subject{}
		if !r.relative {
			silent.Limit = r.limit
		}
		res.Status = r.decide(&res, &silent, runs, baseline)
	}
	slices.SortFunc(res.Subjects, func(a, b Subject) int {
		return cmp.Or(
			cmp.Compare(rank(b.Status), rank(a.Status)),
			cmp.Compare(b.Value-b.Limit, a.Value-a.Limit),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return res
}

// Range is the least and the largest value of a share.
type Range struct{ Low, High float64 }

// wideRange is the least width of a range that is shown.
const wideRange = 0.01

// rangeOf returns the range of a share by all that is not known of it: its 95 % interval, the running
// time of threads, and waiting that is hidden. It is nil if only the interval matters.
func rangeOf(s *Subject, runs []*Run) *Range {
	var all analysis.Trace
	hidden := int64(0)
	for _, run := range runs {
		all.RunningNs += run.Trace.RunningNs
		all.RunningHigh += max(run.Trace.RunningHigh, run.Trace.RunningNs)
		all.UnendedHigh += run.Trace.UnendedHigh
		all.Reacquired.Ns += run.Trace.Reacquired.Ns
		all.Reacquired.Low += run.Trace.Reacquired.Low
		all.Reacquired.High += run.Trace.Reacquired.High
		ns, _ := run.hidden()
		hidden += ns
	}
	ran := float64(all.RunningNs)
	low, _ := all.Pressure(int64(max(s.Value-s.Half, 0)*ran), 0)
	_, high := all.Pressure(int64((s.Value+s.Half)*ran), hidden)
	out := Range{low, max(min(high, 1), s.Value)}
	if out.High-out.Low < max(wideRange, 2*s.Half*(1+wideRange)) {
		return nil
	}
	return &out
}

// runningRange returns the least running time over the largest possible one.
func runningRange(runs []*Run) float64 {
	low, high := 0.0, 0.0
	for _, run := range runs {
		low, high = low+float64(run.Trace.RunningNs), high+float64(max(run.Trace.RunningHigh, run.Trace.RunningNs))
	}
	if high == 0 {
		return 1
	}
	return low / high
}

// absolute compares a value with the limit. A share fails only if it does so for the largest
// possible running time, and an estimate from samples only if all of its interval does. What is
// recorded whole is known without an interval, however much another run would differ.
func (r *Rule) absolute(v measured, runs []*Run) Subject {
	s := Subject{Status: Pass, Value: v.rate.Value, Half: r.halfWidth(&v.rate, runs), Limit: r.limit}
	running, half := runningRange(runs), 0.0
	if slices.ContainsFunc(runs, sampled) {
		half = s.Half
	}
	switch {
	case v.unknown:
		// decide finds the reason
	case r.metric.unit == Count:
		s.Status = failIf(v.rate.Value > 0)
	case r.metric.unit == Ratio:
		s.Status = failIf(r.above((v.rate.Value-half)*running, r.limit))
		s.near = r.above(v.rate.Value+half, r.limit) && half > 0
	default:
		s.Status = failIf(r.above(v.rate.Value-half, r.limit))
		s.near = r.above(v.rate.Value+half, r.limit) && half > 0
	}
	return s
}

// normal95 is half of the interval that holds 95 % of a normal distribution, in standard deviations.
const normal95 = 1.96

// halfWidth returns half of the 95 % interval of a value: infinite if it is unknown, and 0 of a recorded one.
func (r *Rule) halfWidth(value *compare.Rate, runs []*Run) float64 {
	switch {
	case r.metric.name == "blame": // owners may be inferred
		return value.Half
	case value.Value == 0 || !slices.ContainsFunc(runs, sampled):
		return 0
	case r.interval == 0:
		return value.Half
	}
	n := math.Inf(1) // samples of an interval
	for _, run := range runs {
		if of := run.Trace; sampled(run) && of.ElapsedNs > 0 {
			n = min(n, float64(of.Coverage.Samples)*float64(r.interval)/float64(of.ElapsedNs))
		}
	}
	if n < 1 {
		return math.Inf(1)
	}
	return normal95 * math.Sqrt(value.Value/n) // of a count of samples, by Poisson's law
}

// sampled reports whether the values of a run are estimates from samples.
func sampled(run *Run) bool { return run.Trace.Coverage.Samples > 0 && !run.Trigger }

// above reports whether a value breaks a limit.
func (r *Rule) above(v, limit float64) bool { return v > limit || v == limit && !r.equal }

// change compares a value with the baseline; alpha is the probability of a false alarm.
func (r *Rule) change(v, base measured, traces int, alpha float64) Subject {
	if base.rate.Traces == 0 {
		base.rate.Traces = traces // without waiting there
	}
	now, before := compare.Usual.Compared(v.rate, base.rate)
	grown := 1 + r.limit
	s := Subject{Value: v.rate.Value, Half: v.rate.Half, Base: before.Value, Limit: before.Value * grown}
	if v.unknown || base.unknown {
		s.Status = Pass // decide finds the reason
		return s
	}
	va, vb := now.SE*now.SE, before.SE*before.SE*grown*grown
	se := math.Sqrt(va + vb)
	if math.IsInf(se, 1) {
		s.Status, s.unknown = Pass, true
		return s
	}
	if se > 0 {
		df := (va + vb) * (va + vb) / (va*va/max(now.DF, 1) + vb*vb/max(before.DF, 1))
		s.Noise = se * bootstrap.Student(df, 1-alpha)
	}
	s.Status = failIf(r.above(v.rate.Value, s.Limit+s.Noise) && v.rate.Value > 0)
	return s
}

func failIf(bad bool) Status {
	if bad {
		return Fail
	}
	return Pass
}

func rank(s Status) int { return slices.Index([]Status{Pass, Undecided, Fail}, s) }

func worse(a, b Status) Status {
	if rank(b) > rank(a) {
		return b
	}
	return a
}
