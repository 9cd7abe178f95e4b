package gate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
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

// noFinding is the grammar of such a rule.
var noFinding = regexp.MustCompile(`^no\s+finding\(([^()]*)\)$`)

// parseFinding reads "no finding(sleep-while-holding)", with the names that JSON has;
// ok is false for other rules.
func parseFinding(text string) (r Rule, ok bool, err error) {
	m := noFinding.FindStringSubmatch(text)
	if m == nil {
		return r, false, nil
	}
	r = Rule{Text: text, metric: &finding, subject: strings.TrimSpace(m[1])}
	if r.subject == "" {
		return r, true, errors.New("the brackets are empty; * stands for everything")
	}
	if r.pattern, err = blame.Glob(r.subject); err != nil {
		return r, true, fmt.Errorf("%q is no pattern: %w", r.subject, err)
	}
	kinds := findings.Kinds()
	for _, k := range kinds {
		if r.pattern.MatchString(k) {
			return r, true, nil
		}
	}
	near := blame.TheNearest(r.subject, kinds, 1)
	return r, true, fmt.Errorf("no finding is called %q; %s", r.subject, cmp.Or(near, "there are "+strings.Join(kinds, ", ")))
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
