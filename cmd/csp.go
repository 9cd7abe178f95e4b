package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"contend/analysis"
	"contend/analysis/lockstat"
	"contend/csp"
	"contend/format"
	"contend/report/schema"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type cspOptions struct {
	trace     traceOptions
	out       outputOptions
	interval  time.Duration
	threshold float64
	root      bool
	metrics   bool
}

func newCSP(e *env) *cobra.Command {
	var o cspOptions
	c := &cobra.Command{
		Use:   "csp [TRACE ...]",
		Short: "print critical section pressure per interval and lock, and its phases",
		Long: `Critical section pressure is the time threads spent acquiring a lock over the
running time of all threads in an interval. Running time is lifetime less idle
time; waiting for a lock is running time. Two threads that exclude each other
all the time give 50 %, one thread alone gives 0.

A phase begins with an interval at or above the threshold and goes on while the
pressure is at least half of it.`,
		Example: `  contend csp --interval 1s recording.jfr
  contend csp --interval 100ms --threshold 0.2 --format json recording.jfr`,
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runCSP(e, &o)
		},
	}
	o.trace.bind(c)
	o.out.bind(c, 5)
	c.Flags().DurationVar(&o.interval, "interval", time.Second, "length of a measurement `INTERVAL`")
	c.Flags().Float64Var(&o.threshold, "threshold", csp.DefaultThreshold, "a phase begins at this `PRESSURE`, between 0 and 1")
	c.Flags().BoolVar(&o.root, "root", false, "charge waiting to the last lock of each chain of waits instead of the first")
	c.Flags().BoolVar(&o.metrics, "metrics", false, "print the older metrics beside it")
	return c
}

func (o *cspOptions) check() error {
	switch {
	case o.interval <= 0:
		return usageError{fmt.Errorf("--interval: must be longer than 0"), "write 1s or 100ms"}
	case !(o.threshold > 0 && o.threshold <= 1): // NaN is out of bounds too
		return usageError{fmt.Errorf("--threshold: must be above 0 and at most 1"), "0.05 is 5 %"}
	}
	return o.out.check()
}

func runCSP(e *env, o *cspOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	meter := csp.New(csp.Options{IntervalNs: o.interval.Nanoseconds(), Threshold: o.threshold, Root: o.root})
	locks, metrics := lockstat.New(true), csp.NewMetrics()
	visitors := []analysis.Visitor{meter, locks}
	if o.metrics {
		visitors = append(visitors, metrics)
	}
	res, err := o.trace.run(e, visitors...)
	if err != nil {
		return err
	}
	if res.stats.Unit == format.UnitAcquisitions {
		return usageError{errors.New("the input counts contended acquisitions: pressure needs times"), "'contend analyze' shows them per second"}
	}
	series, err := meter.Series()
	if err != nil {
		return usageError{fmt.Errorf("--interval: %w", err), "write 1s or 100ms"}
	}
	sum := locks.Total()
	total := schema.Total{Waits: sum.Waits, WaitNs: sum.WaitNs, WallNs: sum.WallNs, RunningNs: locks.RunningNs()}
	doc := schema.NewCSP(series, metrics.Rows(), total, schema.NewCoverage(res.stats, res.trace))
	out := bufio.NewWriter(e.out)
	if style, asJSON := o.out.style(e); asJSON {
		err = schema.Write(out, doc)
	} else {
		err = table.CSP(out, doc, o.out.top, style)
	}
	return answered(out, err, res)
}
