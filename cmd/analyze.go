package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"contend/blame"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/blame/overview"
	"contend/csp"
	"contend/format"
	"contend/report/document"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type analyzeOptions struct {
	trace traceOptions
	out   outputOptions
	own   ownOption
	by    string

	section string
}

func newAnalyze(e *env) *cobra.Command {
	var o analyzeOptions
	c := &cobra.Command{
		Use:   "analyze [TRACE ...]",
		Short: "give the overview: locks, who caused the waiting, phases, deadlocks, coverage",
		Example: `  contend analyze recording.jfr
  contend analyze --by class --format json recording.jfr`,
		RunE: func(*cobra.Command, []string) error { return runAnalyze(e, &o) },
	}
	o.trace.bind(c)
	o.out.bind(c, analyzeOutputs, 10)
	o.own.bind(c)
	c.Flags().StringVar(&o.section, "section", "", "of csv: write the one table `NAME`: "+strings.Join(table.Sections, ", "))
	offer(c, "section", table.Sections...)
	c.Flags().StringVar(&o.by, "by", "lock", "sum by `KEY`: lock or class")
	offer(c, "by", "lock", "class")
	return c
}

func runAnalyze(e *env, o *analyzeOptions) error {
	if err := o.out.check(); err != nil {
		return err
	}
	if o.by != "lock" && o.by != "class" {
		return usageError{fmt.Errorf("--by: there is no key %q", o.by), "choose lock or class"}
	}
	if o.section != "" && o.out.format != "csv" {
		return usageError{errors.New("--section: only --format csv has sections"), "the other forms hold all of them"}
	}
	if o.section != "" && !slices.Contains(table.Sections, o.section) {
		return usageError{fmt.Errorf("--section: there is no section %q", o.section), "choose from " + strings.Join(table.Sections, ", ")}
	}
	locks := locks.New(o.by == "class")
	app, err := o.own.get()
	if err != nil {
		return err
	}
	owners := blame.New([]blame.Key{blame.ByOwnerStack, blame.ByClass}, false)
	about := overview.New(overview.Options{ByClass: o.by == "class", App: app})
	meter := csp.New(csp.Options{Phases: true, Top: o.out.top})
	res, err := o.trace.run(e, locks, owners, about, meter)
	if err != nil {
		return err
	}
	side := res.side()
	series, tooLong := meter.Series()
	if tooLong != nil { // an absurd time in a damaged trace: all but the phases stands
		series = &csp.Series{}
	}
	found := document.Overview{Locks: about.Locks(), Phases: series}
	found.Findings = findings.Find(about, found.Locks, evidence(res))
	a := &analyzeAnswer{
		section: o.section,
		doc:     document.NewAnalyze(side.Trace, side.Coverage, res.trace, locks, found, o.out.top),
		owners:  document.NewBlame(owners.Table(), locks.RunningNs(), side.Coverage, o.out.top),
		phases:  document.NewPhases(series, o.out.top),
	}
	return cmp.Or(write(e, &o.out, analyzeOutputs, a), res.verdict())
}

// evidence is what findings rest on besides the overview.
func evidence(r *result) findings.Trace {
	t := findings.Trace{Symbols: r.trace.Symbols, Deadlocks: r.trace.Deadlocks, Trust: r.trace.Coverage.Calibration}
	if r.stats.Unit == format.UnitTime {
		t.ElapsedNs = r.trace.ElapsedNs
	}
	return t
}

// analyzeAnswer is the document, and what a table shows besides.
type analyzeAnswer struct {
	doc     *document.Analyze
	section string // of CSV: the one to write
	owners  *document.Blame
	phases  []document.Phase
}
