package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"contend/analysis/dist"
	"contend/blame"
	"contend/blame/lengths"
	"contend/report/document"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type histOptions struct {
	trace    traceOptions
	out      outputOptions
	own      ownOption
	by       string
	tag      string
	interval time.Duration
	expected time.Duration

	labels []string               // of the inputs, when these are logs
	given  func(flag string) bool // whether the user wrote it
}

func newHist(e *env) *cobra.Command {
	var o histOptions
	c := &cobra.Command{
		Use:   "hist [TRACE ... | LOG.hlog ...]",
		Short: "print percentiles of how long single waits were, or log and plot them",
		Long: `Print the distribution of the lengths of whole waits, to three significant
` + blame.Help("digits, by any sequence of ", blame.Lengths) + `
There are no keys of owners: a wait may have had several, one after the other.

Of a trace that samples, the length of a wait is not known: both its bounds are
printed, from the first sample of it to the last and from the sample before to the
sample after.

Interval logs of HdrHistogram (.hlog, plain or in gzip, zstd or s2; histograms of
version 2) are read as well, merged, and written:
with -o waits.hlog a trace becomes a log with a line per interval and row, whose
tag is the row; a wait counts in the interval in which it begins. Logs are told
apart --by tag, input or both, and joined by -o with both kept.
--expected-interval adds, for waits that something meant to measure that often,
the ones it missed while it waited itself; logs are written without them, and
corrected when they are read.

Formats beside tables: bars (a chart for terminals), hgrm (percentiles of all
waits as text), hlog, svg and html (plots). -o takes the format from the ending
of the file's name unless --format says another.`,
		Example: `  contend hist --by class recording.jfr
  contend hist --interval 1s recording.jfr -o waits.hlog && contend hist --from 10s --tag Cache waits.hlog
  contend hist --by waiter-method --top 5 recording.jfr -o waits.html`,
		RunE: func(c *cobra.Command, _ []string) error {
			o.given = c.Flags().Changed
			return runHist(e, &o)
		},
	}
	o.trace.bind(c)
	o.own.bind(c)
	f := c.Flags()
	o.out.bindFormat(c, histOutputs, "table", "write `FORMAT`: ")
	o.out.bindTop(c)
	o.out.bindFile(c)
	f.StringVar(&o.by, "by", "lock", "tell waits apart by `KEYS`, separated by commas; those of logs by tag, input")
	offerLists(c, "by", blame.Keys(blame.Lengths)...)
	f.StringVar(&o.tag, "tag", "", "of interval logs, only tags that match `REGEXP`")
	f.DurationVar(&o.interval, "interval", 0, "length of an `INTERVAL` of an interval log (1s unless given)")
	f.DurationVar(&o.expected, "expected-interval", 0, "correct for coordinated omission: one wait was meant to be measured every `DURATION`")
	return c
}

// check refuses flags that contradict one another.
func (o *histOptions) check() error {
	if err := o.out.check(); err != nil {
		return err
	}
	switch {
	case o.interval < 0 || o.given("interval") && o.interval == 0:
		return usageError{errors.New("--interval: must be longer than 0"), "write 1s or 100ms"}
	case o.interval > 0 && o.out.format != "hlog":
		return usageError{errors.New("--interval: only an interval log has intervals"), "write one with -o waits.hlog"}
	case o.expected < 0:
		return usageError{errors.New("--expected-interval: cannot be negative"), "write 10ms"}
	}
	if o.out.format == "hlog" && o.interval == 0 {
		o.interval = time.Second
	}
	return nil
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
	if o.given("tag") {
		return usageError{errors.New("--tag: only interval logs have tags"), "select locks with --class and --lock"}
	}
	app, err := o.own.get()
	if err != nil {
		return err
	}
	c, err := lengths.New(lengths.Options{By: o.by, ExpectedNs: o.expected.Nanoseconds(), IntervalNs: o.interval.Nanoseconds(), App: app})
	if err != nil {
		return usageError{fmt.Errorf("--by: %w", err), ""}
	}
	res, err := o.trace.run(e, c)
	if err != nil {
		return err
	}
	cov := res.coverage()
	if m := text.MeasureOf(cov); m.Counts() {
		return usageError{fmt.Errorf("the input counts %s: waits have no length there", m.Of()), "'contend analyze' shows the counts; several thread dumps with their times bound the lengths"}
	}
	a := &histAnswer{total: c.Total(), head: dist.Head{Start: c.Start(), Labelled: c.By()[0] == dist.InputKey}, intervals: c.Intervals()}
	a.doc = document.NewHist(c.By(), o.expected.Nanoseconds(), c.Rows(), a.total, &cov, o.out.top)
	return cmp.Or(write(e, &o.out, histOutputs, a), res.verdict())
}
