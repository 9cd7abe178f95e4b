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
)

// finding limits nothing: a rule "no finding(KIND)" holds where there is none.
var finding = metric{name: "finding", unit: Count, doubts: []doubter{unrecorded, damaged, ownersUnknown}, measure: found}

// namesFinding checks that the pattern names some kind, by the names that JSON has.
func (r *Rule) namesFinding() error {
	kinds := findings.Kinds()
	if r.pattern == nil || slices.ContainsFunc(kinds, r.pattern.MatchString) {
		return nil
	}
	near := blame.TheNearest(r.subject, kinds, 1)
	return fmt.Errorf("no finding is called %q; %s", r.subject, cmp.Or(near, "there are "+strings.Join(kinds, ", ")))
}

// found counts the findings of runs whose kind the rule names, by kind and lock.
func found(r *Rule, runs []*Run) map[string]measured {
	out := map[string]measured{}
	for _, run := range runs {
		for _, f := range run.findings() {
			if !r.pattern.MatchString(f.Kind.String()) {
				continue
			}
			name := f.Kind.String() + " of " + f.Class
			if by := cmp.Or(f.Owner, f.Thread, f.Site); by != "" {
				name += " by " + by
			}
			out[name] = measured{Rate: compare.Rate{Value: out[name].Value + 1}}
		}
	}
	return out
}

// findings are those that the screen of analyze has.
func (run *Run) findings() []findings.Finding {
	if run.about == nil || run.Trace == nil {
		return nil
	}
	t := findings.Trace{Symbols: run.Trace.Symbols, Deadlocks: run.Trace.Deadlocks}
	if run.Stats.Unit == format.UnitTime {
		t.ElapsedNs = run.Trace.ElapsedNs
	}
	return findings.Find(run.about, run.about.Locks(), run.evidence, t)
}

// ownersUnknown doubts that there is no finding where the owners of the locks are
// mostly not known: a finding is about owners.
func ownersUnknown(_ *Rule, _ *Subject, run *Run) Doubt {
	if run.about == nil || run.about.TotalNs() == 0 {
		return Doubt{}
	}
	var by analysis.Known
	for _, l := range run.about.Locks() {
		for i := range l.Owners {
			by.AddAll(&l.Owners[i].ByProvenance)
		}
	}
	if findings.Known(&by) >= findings.MinKnown {
		return Doubt{}
	}
	return Doubt{"who owned the locks is not known of most waiting", "record thread dumps ('contend jfc' prints such settings)"}
}

// overviewFor returns what findings need, where a rule is about them.
func overviewFor(rules []Rule) *locks.Overview {
	for i := range rules {
		if rules[i].metric == &finding {
			return locks.NewOverview(locks.Options{})
		}
	}
	return nil
}
