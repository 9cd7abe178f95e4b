package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"contend/analysis"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type cspOptions struct {
	trace     traceOptions
	out       outputOptions
	interval  time.Duration
	threshold float64
	by        string
	root      bool
	metrics   bool
}

// chartInterval is the default interval of a chart: a second is coarse for a
// picture.
const chartInterval = 100 * time.Millisecond

func newCSP(e *env) *cobra.Command {
	var o cspOptions
	c := newCommand("csp", func(c *cobra.Command, _ []string) error {
		if (o.out.how.Chart || o.out.drawn()) && !c.Flags().Changed("interval") {
			o.interval = chartInterval
		}
		return runCSP(e, &o)
	})
	o.trace.bind(c)
	o.out.bind(c, cspOutputs)
	c.Flags().DurationVar(&o.interval, "interval", time.Second, "measure the pressure in each `INTERVAL`")
	o.threshold = csp.DefaultThreshold
	c.Flags().Var((*partValue)(&o.threshold), "threshold", "a phase begins at this `PRESSURE`, as 5% or 0.05")
	c.Flags().StringVar(&o.by, "by", "lock", "measure the pressure of each `KEY`: lock or class")
	offer(c, "by", "lock", "class")
	c.Flags().
		BoolVar(&o.root, "root", false, "charge waiting to the last lock of each chain of waits instead of the first")
	c.Flags().BoolVar(&o.metrics, "metrics", false, "print the older metrics beside it")
	c.Flags().
		BoolVar(&o.out.how.Chart, "chart", false, "draw a line per lock over time; the interval is 100ms unless given")
	return c
}

func (o *cspOptions) check() error {
	switch {
	case o.interval <= 0:
		return usageError{errors.New("--interval: must be longer than 0"), "write 1s or 100ms"}
	case o.by != "lock" && o.by != "class":
		return usageError{fmt.Errorf("--by: there is no key %q", o.by), "choose lock or class"}
	}
	if o.out.how.Chart && o.out.format != "table" {
		return usageError{
			fmt.Errorf("--chart: is drawn in a terminal, not as %s", o.out.format),
			"choose --chart, or -o csp.svg or -o csp.html",
		}
	}
	return nil
}

// phases is how many phases are shown: a program and a picture take all.
func (o *cspOptions) phases() int {
	if o.out.format == "json" || o.out.drawn() {
		return 0
	}
	return o.out.top
}

func runCSP(e *env, o *cspOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	meter := csp.New(csp.Options{
		IntervalNs: o.interval.Nanoseconds(),
		Threshold:  o.threshold,
		Root:       o.root,
		ByClass:    o.by == "class",
		Top:        o.phases(),
	})
	locks, metrics := locks.New(true), csp.NewMetrics()
	visitors := []analysis.Visitor{meter, locks}
	if o.metrics {
		visitors = append(visitors, metrics)
	}
	res, err := o.trace.named(e, nil, visitors...)
	if err != nil {
		return err
	}
	if err := o.timed(res); err != nil {
		return err
	}
	meter.Site = res.siteOf
	meter.PlaceOf = func(lock format.ObjectID, o analysis.Owner) csp.OwnerPlace {
		site, doing := res.names.OwnerPlace(lock, o)
		return csp.OwnerPlace{Site: site, Doing: doing}
	}
	series, err := meter.Series()
	if err != nil {
		return usageError{
			fmt.Errorf("--interval: %w", err),
			"write a longer one, as 1s, 1m or 1h, or take a part of the trace with --from and --to",
		}
	}
	metrics.ElapsedNs = res.trace.ElapsedNs
	doc := document.NewCSP(series, res.trace.Start, metrics.Rows(), document.NewTotal(locks), res.coverage())
	return cmp.Or(write(e, &o.out, cspOutputs, doc), res.verdict())
}

// timed refuses inputs without the times that the answer needs.
func (o *cspOptions) timed(res *result) error {
	if res.stats.Unit == format.UnitTime {
		return nil
	}
	if err := res.timeless(); err != nil {
		return err
	}
	if o.out.how.Chart || o.out.drawn() {
		return usageError{
			errors.New("the input counts threads and has no time to draw pressure over"),
			"'contend csp' prints a table; several thread dumps with their times give a chart",
		}
	}
	if o.metrics {
		return usageError{
			errors.New("--metrics: the input counts threads, and the older metrics are per time"),
			"leave it out; several thread dumps with their times have them",
		}
	}
	return nil
}
