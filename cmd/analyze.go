package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/dumps"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
	"contend/report/document"
	"contend/report/screen"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type analyzeOptions struct {
	trace traceOptions
	out   outputOptions
	own   expression
	by    string
	idle  bool
	shape shape
}

// shape says how much of the answer is printed.
type shape struct {
	tables bool
	screen screen.Options
}

func newAnalyze(e *env) *cobra.Command {
	var o analyzeOptions
	c := newCommand("analyze", func(c *cobra.Command, _ []string) error {
		o.shape.screen.Top = 0
		if c.Flags().Changed("top") {
			o.shape.screen.Top = cmp.Or(o.out.top, math.MaxInt) // 0 shows all
		}
		return runAnalyze(e, &o)
	})
	o.trace.bind(c)
	o.out.bind(c, analyzeOutputs)
	o.own.bindApp(c)
	c.Flags().StringVar(&o.by, "by", "lock", "sum by `KEY`: lock or class")
	offer(c, "by", "lock", "class")
	c.Flags().BoolVar(&o.idle, "idle", false, "list where threads have nothing to do as well, below --tables")
	f := c.Flags()
	f.BoolVar(
		&o.shape.tables,
		"tables",
		false,
		"print tables: all numbers of locks, owners and phases, and what the trace lacks",
	)
	f.BoolVar(&o.shape.screen.Full, "full", false, "print all findings, locks and notes, with whole stacks")
	f.StringVar(
		&o.out.how.Section,
		"section",
		"",
		"of csv: write the one table `NAME`: "+strings.Join(table.Sections, ", "),
	)
	offer(c, "section", table.Sections...)
	f.IntVar(
		&o.out.how.Width,
		"width",
		0,
		widthUsage,
	)
	return c
}

// check refuses contradicting flags and wrong values.
func (o *analyzeOptions) check() error {
	switch section, width := o.out.how.Section, o.out.how.Width; {
	case o.by != "lock" && o.by != "class":
		return usageError{fmt.Errorf("--by: there is no key %q", o.by), "choose lock or class"}
	case section != "" && o.out.format != "csv":
		return usageError{errors.New("--section: only --format csv has sections"), "the other forms hold all of them"}
	case section != "" && !slices.Contains(table.Sections, section):
		return usageError{
			fmt.Errorf("--section: there is no section %q", section),
			"choose from " + strings.Join(table.Sections, ", "),
		}
	case o.shape.tables && o.shape.screen.Full:
		return usageError{errors.New("--full and --tables exclude each other"), "--top 0 makes tables show all rows"}
	case width != 0 && width < 40:
		return usageError{
			fmt.Errorf("--width %d: names need 40 columns", width),
			"without it, the terminal's width counts",
		}
	}
	return nil
}

func runAnalyze(e *env, o *analyzeOptions) error {
	o.shape.tables = o.shape.tables || o.idle && !o.shape.screen.Full
	if err := o.check(); err != nil {
		return err
	}
	o.trace.how.shown = o.out.format == analyzeOutputs[0].name
	want, stacks := o.wanted()
	owners := blame.New([]blame.Key{blame.ByOwnerStack, blame.ByClass}, false)
	var more []analysis.Visitor
	if stacks {
		more = append(more, owners)
	}
	doc, _, res, err := o.trace.summarize(e, want, more...)
	if err != nil {
		return err
	}
	o.shape.screen.Part = o.trace.selects()
	if stacks {
		o.shape.screen.OwnerStacks = document.NewBlame(owners.Table(), doc.Total.RunningNs, doc.Coverage, o.out.top)
	}
	return cmp.Or(write(e, &o.out, analyzeOutputs, analyzeAnswer{doc, o.shape}), res.verdict())
}

// wanted returns what the answer shows, and whether it has whole stacks of owners.
func (o *analyzeOptions) wanted() (want summary, stacks bool) {
	want = summary{
		byClass: o.by == "class",
		idle:    o.idle,
		app:     o.own.re,
		locks:   o.out.top,
		phases:  o.out.top,
		places:  o.out.top,
	}
	if o.out.format != analyzeOutputs[0].name || o.shape.tables {
		return want, true
	}
	want.phases = noPhases
	want.locks, want.rest = document.MaxLocks, true // the screen prints the number of locks
	if want.places > 0 {
		want.places = max(want.places, defaultTop) // and the number of threads that wait elsewhere
	}
	return want, o.shape.screen.Full
}

// summary lists the parts of a summary of a trace.
type summary struct {
	byClass, idle         bool
	app                   *regexp.Regexp
	locks, phases, places int  // at most; 0 means all
	rest                  bool // count the locks that are left out
}

// noPhases means that phases are not computed.
const noPhases = -1

// summarize reads the trace for the document of 'contend analyze', and for
// further visitors.
func (o *traceOptions) summarize(
	e *env,
	want summary,
	more ...analysis.Visitor,
) (*document.Analyze, *document.Overview, *result, error) {
	lockSums := locks.New(want.byClass)
	overview := locks.NewOverview(locks.Options{ByClass: want.byClass, App: want.app})
	pressure := csp.New(csp.Options{Phases: true, Top: want.phases})
	observed, dumped := findings.NewEvidence(want.app), dumps.New(want.app)
	users, workers := locks.NewPoolUsers(want.app), locks.NewWorkers(want.app)
	if want.phases != noPhases {
		more = append(more, pressure)
	}
	res, err := o.run(e, append(more, lockSums, overview, observed, dumped, users, workers)...)
	if err != nil {
		return nil, nil, nil, err
	}
	side := res.side()
	found := document.Overview{Phases: &csp.Series{}, Took: overview.Took}
	if want.locks == 0 {
		found.Locks = overview.Locks()
	} else {
		found.Locks, found.Rest = overview.Heaviest(heaviest(lockSums, want.locks))
	}
	if want.phases != noPhases {
		sites := sitesOf(slices.Concat(found.Locks, found.Rest))
		pressure.Site = func(id format.ObjectID) string { return sites[id] }
		if series, tooLong := pressure.Series(); tooLong == nil {
			// an absurd time in a damaged trace leaves out the phases only
			found.Phases = series
		}
	}
	known := evidence(res, want.byClass)
	known.Holders = users.Holders
	found.Findings = findings.Find(overview, slices.Concat(found.Locks, found.Rest), observed, known)
	if !want.rest {
		found.Rest = nil
	}
	doc := document.NewAnalyze(side.Trace, side.Coverage, res.trace, lockSums, found, want.locks)
	doc.NonLockWaits = document.NewNonLockWaits(&observed.Resources, users.Holders, want.idle, want.places)
	doc.Executors = document.NewExecutors(workers.Executors(), want.places)
	doc.Rank(want.places)
	if document.IsDump(res.stats.Format) || dumped.Runnable() {
		doc.Dumps = document.NewDumps(res.trace.Symbols, dumped.Overview())
	}
	if !want.byClass {
		doc.Coverage.SetPlaces(document.NewPlaces(res.trace.Symbols, namedOf(found.Locks)))
	}
	return doc, &found, res, nil
}

// namedOf returns the places that name locks.
func namedOf(list []locks.Lock) []locks.Named {
	out := make([]locks.Named, len(list))
	for i, l := range list {
		out[i] = locks.Named{Lock: format.ObjectID(l.ID), Site: l.Site, WaitNs: l.WaitNs}
	}
	return out
}

// heaviest returns the ids of the locks with a row of their own, at least most of them.
func heaviest(of *locks.Collector, most int) map[uint32]bool {
	ids := map[uint32]bool{}
	for _, r := range of.Top(max(most, document.MaxLocks)) {
		ids[r.ID] = true
	}
	return ids
}

// evidence returns the input of findings besides the overview.
func evidence(r *result, byClass bool) findings.Trace {
	t := findings.Trace{Symbols: r.trace.Symbols, Deadlocks: r.trace.Deadlocks, ByClass: byClass}
	if r.stats.Unit == format.UnitTime {
		t.ElapsedNs = r.trace.ElapsedNs
	}
	return t
}

// analyzeAnswer is the document, and how it is shown.
type analyzeAnswer struct {
	*document.Analyze
	shape shape
}

// writeAnalyze writes the screen, or the tables.
func writeAnalyze(w io.Writer, a analyzeAnswer, how table.Options) error {
	if how.Style != table.Text || a.shape.tables {
		return table.Analyze(w, a.Analyze, a.shape.screen.OwnerStacks, how)
	}
	a.shape.screen.Width, a.shape.screen.Color = how.Width, how.Color
	return screen.Write(w, a.Analyze, a.shape.screen)
}
