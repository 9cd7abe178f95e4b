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
// errUndecided is one of them: the trace cannot tell.
var (
	errRules     = errors.New("not all rules hold")
	errUndecided = fmt.Errorf("%w: what the trace cannot decide does not hold, unless --allow-undecided is given", errRules)
)

func newCheck(e *env) *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use:   "check [TRACE ...]",
		Short: "hold rules against traces: a gate for a build",
		Long: `Hold rules against the traces of one or several runs, and exit with 4 when one does
not hold. In a pattern * stands for any characters; each class it names must keep
the rule. "total" is all locks together.

  no deadlock
  no finding(sleep-while-holding)        none that analyze shows; names are those of --format json
  csp(java.util.Hashtable) < 5%          pressure: waiting over running time of all threads
  waiting(*) < 0.5                       threads that wait on average: waiting over the time elapsed
  peak csp(*) per 1s < 20%               the highest of all intervals; also of waiting
  blame(com.acme.*) < 10%                the pressure of owners with such a frame (Class.method)
                                         in their call chain: waiting for them over running time
  p99(*) < 10ms                          length of waits; also p50, p90, p99.9, p99.99 and max
  blame(com.acme.*) < +20% vs baseline   against the traces of --baseline

A change of csp or blame over the baseline is one of threads that wait on average:
waiting over the time elapsed, as 'contend diff' has it. Pressure is over the running
time, which shrinks with the waiting. A change fails when it is above the limit by more
than noise. With three baseline traces or more, what they disagree by is the noise; with
fewer it is estimated from how each run varies.

A rule that the trace cannot decide is undecided, and does not hold either, unless
--allow-undecided is given; the answer says why, and what to do:
  nothing seen   no event says that waits were recorded, the settings disable them, a
                 filter leaves nothing, or no name in the trace matches the pattern
                 (written as tables print names: ReentrantLock, with or without its
                 package)
  blame          where owners that nothing is known of could break the limit
  thresholds     waits shorter than the recording's threshold, 10 or 20 ms in the
                 settings of the JDK, are missing, any number of them. A share above
                 its limit without them fails. One below is decided where all the time
                 that threads ran, and may have waited unseen, would not break the
                 limit. Limits of lengths from the threshold on are decided: what is
                 missing is shorter. Changes over a baseline with the same threshold
                 are decided by the waits above it
  virtual threads  whose waits are missing: decided where all starts are recorded, as
                 'contend jfc' asks for, and all of their lives of which nothing tells
                 would not break the limit
  samples        too few to tell so small a share (3 / limit are enough); their waits
                 have no length; a single dump has no time
  no deadlock    without thread dumps, with owners or virtual threads that the dumps do
                 not list, with class initialisers they do not tell enough of, or of a
                 part of the time
  baselines      that have none of the classes of locks of the trace
  damage         that may hide what breaks the rule`,
		Example: `  contend check --rule 'csp(*) < 5%' --rule 'no deadlock' recording.jfr
  contend check --rule-file contention.rules --baseline a.jfr,b.jfr,c.jfr --format junit new.jfr`,
		RunE: func(*cobra.Command, []string) error { return runCheck(e, &o) },
	}
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

// parse reads the rules and checks that they can be held.
func (o *checkOptions) parse() ([]gate.Rule, error) {
	if err := o.out.checkFormat(); err != nil {
		return nil, err
	}
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
			return nil, usageError{fmt.Errorf("%q needs a baseline", rules[i].Text), "name one or several traces with --baseline"}
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
func (o *checkOptions) runs(e *env, paths []string, rules []gate.Rule) (runs []*gate.Run, traces []document.SideTrace, damaged bool, err error) {
	for _, path := range paths {
		run := gate.NewRun(rules...)
		one := o.trace
		one.paths, one.lenient = []string{path}, true
		res, err := one.named(e, nil, run.Visitors()...)
		if err != nil {
			return nil, nil, false, err
		}
		run.Trace, run.Stats = res.trace, res.stats
		run.Unmatched, run.Cut = res.unmatched, one.cut()
		damaged = damaged || res.verdict() != nil
		runs, traces = append(runs, run), append(traces, res.side())
	}
	return runs, traces, damaged, nil
}
