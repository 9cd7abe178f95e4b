package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"contend/analysis/durations"
	"contend/blame"
	"contend/blame/waits"
	"contend/report/document"
	"contend/report/table"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type histOptions struct {
	trace    traceOptions
	out      outputOptions
	own      expression
	by       string
	tag      expression
	unit     string
	interval time.Duration
	expected time.Duration

	labels []string               // of the inputs, when these are logs
	given  func(flag string) bool // reports whether the user set a flag
}

func newHist(e *env) *cobra.Command {
	var o histOptions
	c := newCommand("hist", func(c *cobra.Command, _ []string) error {
		o.given = c.Flags().Changed
		return runHist(e, &o)
	})
	c.Long = strings.Replace(c.Long, "{keys}", blame.Help("digits, by any sequence of ", blame.Lengths), 1)
	o.trace.bind(c)
	o.own.bindApp(c)
	f := c.Flags()
	o.out.bindFormat(c, histOutputs, "table", "write `FORMAT`: ")
	o.out.bindTop(c)
	o.out.bindFile(c)
	f.StringVar(&o.by, "by", "lock", "separate waits by `KEYS`, separated by commas; those of logs by tag, input")
	offerLists(c, "by", blame.Keys(blame.Lengths)...)
	o.tag.bind(c, "tag", "of interval logs, only tags that match `REGEXP`")
	f.DurationVar(
		&o.interval,
		"interval",
		0,
		"print a row for each `INTERVAL`; a written log has such intervals, too (1s unless given)",
	)
	f.StringVar(&o.unit, "unit", "ns", "the times in interval logs are in `UNIT`s: us, ms or ns")
	offer(c, "unit", "us", "ms", "ns")
	f.DurationVar(
		&o.expected,
		"expected-interval",
		0,
		"correct for coordinated omission: one wait was meant to be measured every `DURATION`",
	)
	return c
}

// check refuses flags that contradict one another.
func (o *histOptions) check() error {
	switch {
	case o.interval < 0 || o.given("interval") && o.interval == 0:
		return usageError{errors.New("--interval: must be longer than 0"), "write 1s or 100ms"}
	case o.overTime() && o.given("by"):
		return usageError{
			errors.New("--by: with --interval, rows are intervals"),
			"select waits with --class, --lock, --thread or --tag, or write a log with -o waits.hlog",
		}
	case units[o.unit] == 0:
		return usageError{fmt.Errorf("--unit: %q is not a unit of logs", o.unit), "write us, ms or ns"}
	case o.expected < 0:
		return usageError{errors.New("--expected-interval: cannot be negative"), "write 10ms"}
	}
	if o.out.format == "hlog" && o.interval == 0 {
		o.interval = time.Second
	}
	return nil
}

// units are the units of interval logs, in ns.
var units = map[string]int64{"ns": 1, "us": 1000, "ms": 1_000_000}

// intervalKey is the key of rows that are intervals.
const intervalKey = "interval"

// overTime reports whether rows are intervals.
func (o *histOptions) overTime() bool { return o.interval > 0 && o.out.format != "hlog" }

// top returns the number of rows to print. Intervals have no limit by default.
func (o *histOptions) top() int {
	if o.overTime() && !o.given("top") {
		return 0
	}
	return o.out.top
}

func runHist(e *env, o *histOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	paths, err := o.trace.inputs(e)
	if err != nil {
		return err
	}
	o.trace.paths = paths
	files, labels := labelsOf(paths)
	logs, err := e.areLogs(files)
	if err != nil {
		return err
	}
	if logs {
		o.trace.paths, o.labels = files, labels
		return runHistLogs(e, o)
	}
	if o.given("unit") {
		return usageError{errors.New("--unit: a trace has its own unit"), "leave it out"}
	}
	if o.given("tag") {
		return usageError{errors.New("--tag: only interval logs have tags"), "select locks with --class and --lock"}
	}
	c, err := waits.New(
		waits.Options{
			By:         o.by,
			ExpectedNs: o.expected.Nanoseconds(),
			IntervalNs: o.interval.Nanoseconds(),
			App:        o.own.re,
		},
	)
	if err != nil {
		return usageError{fmt.Errorf("--by: %w", err), ""}
	}
	res, err := o.trace.named(e, nil, c)
	if err != nil {
		return err
	}
	cov := res.coverage()
	if m := text.MeasureOf(cov); m.Counts() {
		if m.Sums() {
			return usageError{
				errors.New("the input sums waiting by stack: its single waits have no duration"),
				"'contend analyze' shows the sums; a recording has the durations",
			}
		}
		return usageError{
			fmt.Errorf("the input counts %s: its waits have no duration", m.Counted()),
			"'contend analyze' shows the counts; several thread dumps with their times bound the durations",
		}
	}
	a := &histAnswer{
		total:     c.Total(),
		head:      durations.Head{Start: c.Start(), Labelled: c.By()[0] == durations.InputKey},
		intervals: c.Intervals(),
	}
	by, rows := c.By(), []waits.Row(nil)
	if o.overTime() {
		by, rows = []string{intervalKey}, c.OverTime()
	} else {
		rows = c.Rows()
	}
	a.Hist = document.NewHist(by, o.expected.Nanoseconds(), rows, a.total, &cov, o.top())
	a.Hist.SetLastNs(res.trace.End)
	return cmp.Or(write(e, &o.out, histOutputs, a), res.verdict())
}

// histAnswer is the input of the writers.
type histAnswer struct {
	*document.Hist
	total     *waits.Lengths
	head      durations.Head      // of a log
	intervals []durations.LogLine // for a log, in no order
}

// writeHgrm writes the percentiles of all waits. Sampled waits have bounds; it writes the upper
// ones.
func writeHgrm(w io.Writer, a *histAnswer, _ table.Options) error {
	if a.total.Exact.Count() > 0 || a.total.AtMost.Count() == 0 {
		return a.total.Exact.WritePercentiles(w)
	}
	if _, err := fmt.Fprintln(w, "#[Sampled waits: each value is an upper bound]"); err != nil {
		return err
	}
	return a.total.AtMost.WritePercentiles(w)
}

func writeHlog(w io.Writer, a *histAnswer, _ table.Options) error {
	log, err := durations.NewLogWriter(w, a.head)
	if err != nil {
		return err
	}
	return log.WriteAll(a.intervals)
}
