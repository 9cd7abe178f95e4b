package cmd

import (
	"errors"
	"fmt"
	"os"

	"contend/blame/gate"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type checkOptions struct {
	trace    traceOptions
	out      outputOptions
	rules    []string
	ruleFile string
	baseline []string
	allow    bool // rules that are undecided
}

// errRules is returned by a check that has answered: a rule does not hold.
// errUndecided is such an error for a rule that the trace cannot decide.
var (
	errRules     = errors.New("not all rules hold")
	errUndecided = fmt.Errorf(
		"%w: what the trace cannot decide does not hold, unless --allow-undecided is given",
		errRules,
	)
)

func newCheck(e *env) *cobra.Command {
	var o checkOptions
	c := newCommand("check", func(*cobra.Command, []string) error { return runCheck(e, &o) })
	o.trace.bind(c)
	f := c.Flags()
	f.StringArrayVar(&o.rules, "rule", nil, "hold `RULE`; may be repeated")
	f.StringVar(&o.ruleFile, "rule-file", "", "hold the rules in `FILE`, one a line")
	f.StringSliceVar(&o.baseline, "baseline", nil, "compare with `TRACES`, separated by commas")
	f.BoolVar(&o.allow, "allow-undecided", false, "let rules pass that the trace cannot decide")
	o.out.bindFormat(c, checkOutputs, "table", "print `FORMAT`: ")
	o.out.bindFile(c)
	return c
}

// parse reads the rules and checks that a baseline is given where one is needed.
func (o *checkOptions) parse() ([]gate.Rule, error) {
	var rules []gate.Rule
	if o.ruleFile != "" {
		f, err := os.Open(o.ruleFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if rules, err = gate.ParseFile(f, o.ruleFile); err != nil {
			return nil, err
		}
	}
	for _, text := range o.rules {
		r, err := gate.Parse(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("--rule: %w", err), "'contend check --help' shows the rules there are"}
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, usageError{errors.New("no rule is given"), "write --rule 'csp(*) < 5%', or --rule-file FILE"}
	}
	for i := range rules {
		if rules[i].NeedsBaseline() && len(o.baseline) == 0 {
			return nil, usageError{
				fmt.Errorf("%q needs a baseline", rules[i].Text),
				"name one or several traces with --baseline",
			}
		}
	}
	return rules, nil
}

func runCheck(e *env, o *checkOptions) error {
	rules, err := o.parse()
	if err != nil {
		return err
	}
	paths, err := o.trace.inputs(e)
	if err != nil {
		return err
	}
	runs, inputs, damage, err := o.runs(e, paths, rules)
	if err != nil {
		return err
	}
	base, baseline, baseDamage, err := o.runs(e, o.baseline, rules)
	if err != nil {
		return err
	}
	results := gate.Check(rules, runs, base)
	if err := write(e, &o.out, checkOutputs, document.NewCheck(results, o.allow, inputs, baseline)); err != nil {
		return err
	}
	switch worst := gate.Worst(results); {
	case worst == gate.Fail:
		return errRules
	case worst == gate.Undecided && !o.allow:
		return errUndecided
	case damage || baseDamage:
		return errDamaged
	}
	return nil
}

// runs analyses each trace by itself.
func (o *checkOptions) runs(
	e *env,
	paths []string,
	rules []gate.Rule,
) (runs []*gate.Run, traces []document.SideTrace, damaged bool, err error) {
	for _, path := range paths {
		run := gate.NewRun(rules...)
		res, err := o.trace.alone(path).named(e, nil, run.Visitors()...)
		if err != nil {
			return nil, nil, false, err
		}
		run.Trace, run.Stats = res.trace, res.stats
		run.Unmatched, run.Cut = res.unmatched, o.trace.cut()
		damaged = damaged || res.verdict() != nil
		runs, traces = append(runs, run), append(traces, res.side())
	}
	return runs, traces, damaged, nil
}
