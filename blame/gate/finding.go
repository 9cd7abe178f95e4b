package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/compare"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/format"
	"contend/format/human"
)

// findingMetric is the metric of "no finding(KIND)", which has no limit.
var findingMetric = metric{
	name: "finding",
	unit: Count,
	doubts: []doubter{nothingLeft, unrecorded, damaged, unread, unseenDeadlock, mostOwnersUnknown, unknownMatters,
		unprovenFinding, withoutTime, unseenPolling, unbounded, missingMatters},
	measure: countFindings,
}

// namesFinding checks that the pattern matches the JSON name of some kind.
func (r *Rule) namesFinding() error {
	kinds := findings.Kinds()
	if r.pattern == nil || slices.ContainsFunc(kinds, r.pattern.MatchString) {
		return nil
	}
	near := blame.TheNearest(r.subject, kinds, 1)
	return fmt.Errorf("no finding is called %q; %s", r.subject, cmp.Or(near, "there are "+strings.Join(kinds, ", ")))
}

// countFindings counts the findings of runs whose kind the rule names, by kind and lock.
func countFindings(r *Rule, runs []*Run) map[string]measured {
	out := map[string]measured{}
	for _, run := range runs {
		for _, f := range run.findings() {
			if !r.pattern.MatchString(f.Kind.String()) {
				continue
			}
			name := f.Kind.String() + " of " + f.Class
			if f.Locks > 1 {
				name += fmt.Sprintf(" (%d locks)", f.Locks)
			}
			if by := cmp.Or(f.Owner, f.Thread, f.Site); by != "" {
				name += " by " + by
			}
			out[name] = measured{rate: compare.Rate{Value: out[name].rate.Value + 1}}
		}
	}
	return out
}

// findings returns the findings that analyze shows.
func (run *Run) findings() []findings.Finding {
	if run.overview == nil || run.Trace == nil {
		return nil
	}
	return findings.Find(run.overview, run.overview.Locks(), run.evidence, run.findingTrace())
}

func (run *Run) findingTrace() findings.Trace {
	t := findings.Trace{Symbols: run.Trace.Symbols, Deadlocks: run.Trace.Deadlocks}
	if run.Stats.Unit == format.UnitTime {
		t.ElapsedNs = run.Trace.ElapsedNs
	}
	return t
}

// unprovenFinding returns a doubt if a finding that the rule names would be one if its owners were
// known well enough.
func unprovenFinding(r *Rule, _ *Subject, run *Run) Doubt {
	if run.overview == nil || run.Trace == nil {
		return Doubt{}
	}
	for _, f := range findings.Unproven(run.overview, run.overview.Locks(), run.findingTrace()) {
		if r.pattern.MatchString(f.Kind.String()) {
			return Doubt{
				fmt.Sprintf(
					"it may be that %s is %s: owners of %.0f %% of that waiting are known",
					cmp.Or(f.Owner, f.Class),
					f.Kind.Titled(f.Class, f.Class, ""),
					100*f.Known(),
				),
				run.ownersHint(),
			}
		}
	}
	return Doubt{}
}

// withoutTime returns a doubt about findings of an input without times: all but deadlocks are about what threads do
// over time.
func withoutTime(r *Rule, _ *Subject, run *Run) Doubt {
	deadlock := findings.Deadlock.String()
	others := slices.ContainsFunc(findings.Kinds(), func(k string) bool {
		return k != deadlock && r.pattern.MatchString(k)
	})
	if run.Stats.Unit == format.UnitTime || !others {
		return Doubt{}
	}
	what := "sums of waiting do"
	if run.Stats.Unit == format.UnitThreads {
		what = "threads seen at an instant do"
	}
	return Doubt{
		what + " not show what owners of locks do over time",
		giveTimes,
	}
}

// mostOwnersUnknown returns a doubt if most owners of locks are unknown, because findings are
// about owners.
func mostOwnersUnknown(_ *Rule, _ *Subject, run *Run) Doubt {
	if run.overview == nil || run.overview.TotalNs() == 0 {
		return Doubt{}
	}
	ns, right := int64(0), int64(0)
	for _, l := range run.overview.Locks() {
		for i := range l.Owners {
			ns, right = ns+l.Owners[i].WaitNs, right+l.Owners[i].ByProvenance.Right()
		}
	}
	if analysis.Ratio(right, ns) >= findings.MinKnown {
		return Doubt{}
	}
	return Doubt{
		"the owners are unknown for most of the waiting",
		run.ownersHint(),
	}
}

// unknownMatters returns a doubt if threads wait so much for unknown owners that what these did could
// be a finding.
func unknownMatters(_ *Rule, _ *Subject, run *Run) Doubt {
	if run.overview == nil {
		return Doubt{}
	}
	ns := run.Trace.Coverage.ByProvenance[analysis.ByNothing]
	if t := run.findingTrace(); !t.Matters(ns, run.overview.TotalNs()) {
		return Doubt{}
	}
	return Doubt{
		human.Say("the owners are unknown for %.2g %% of the waiting", 100*analysis.Ratio(ns, run.overview.TotalNs())),
		run.ownersHint(),
	}
}

// unseenDeadlock returns a doubt about deadlocks among findings: any of the rule about deadlocks.
func unseenDeadlock(r *Rule, s *Subject, run *Run) (d Doubt) {
	for _, doubt := range deadlockDoubts {
		if r.namesDeadlock() && d.Reason == "" {
			d = doubt(r, s, run)
		}
	}
	return d
}

// namesDeadlock reports whether a rule is about deadlocks among other findings. One about findings of every kind
// is about what the input shows: that it may be unable to show a deadlock is for "no deadlock" to say.
func (r *Rule) namesDeadlock() bool {
	names := r.pattern.MatchString
	return names(findings.Deadlock.String()) &&
		slices.ContainsFunc(findings.Kinds(), func(kind string) bool { return !names(kind) })
}

// missingMatters returns a doubt if so much waiting is not recorded that what its owners did could be a finding.
func missingMatters(_ *Rule, _ *Subject, run *Run) Doubt {
	if run.overview == nil || run.Stats.Unit != format.UnitTime {
		return Doubt{}
	}
	matters := func(ns int64) bool {
		t := run.findingTrace()
		return t.Matters(ns, run.overview.TotalNs()+ns)
	}
	if ns := run.shortNs(); ns > 0 && matters(ns) {
		return Doubt{run.shortText(ns), recordAll}
	}
	if ns, text := run.hidden(); ns > 0 && matters(ns) {
		return Doubt{text, hiddenHint}
	}
	return Doubt{}
}

// unseenPolling returns a doubt about polling if it would not be recorded.
func unseenPolling(r *Rule, _ *Subject, run *Run) Doubt {
	w, ok := run.warned(format.CodeUnseenPolling)
	if !ok || !r.pattern.MatchString(findings.Polling.String()) {
		return Doubt{}
	}
	return Doubt{w.Text, run.pollingHint()}
}

// overviewFor returns the collector for findings if a rule is about them; else nil.
func overviewFor(rules []Rule) *locks.Overview {
	for i := range rules {
		if rules[i].metric == &findingMetric {
			return locks.NewOverview(locks.Options{})
		}
	}
	return nil
}
