package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"contend/format"
	"contend/format/simulate"

	"github.com/spf13/cobra"
)

type simulateOptions struct {
	config   simulate.Config
	scenario choice
	duration time.Duration
	period   time.Duration
	handoff  time.Duration
	stall    time.Duration
	out      string
	codec    string
	exact    bool
	text     bool
	truth    string
}

func newSimulate(e *env) *cobra.Command {
	var o simulateOptions
	names, about := simulate.Scenarios()
	var list strings.Builder
	for i := range names {
		fmt.Fprintf(&list, "\n  %-14s %s", names[i], about[i])
	}
	c := newCommand("simulate", func(*cobra.Command, []string) error { return runSimulate(e, &o) })
	c.Args = noArgs
	c.Long += list.String()
	f := c.Flags()
	o.scenario.bind(c, "scenario", "there is no scenario", "simulate `SCENARIO`", names, slices.Index(names, "convoy"))
	f.IntVar(&o.config.Threads, "threads", 8, "with `N` threads")
	f.IntVar(&o.config.Locks, "locks", 4, "with `N` locks, where the scenario takes any number")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "simulate `DURATION`")
	f.Int64Var(&o.config.Events, "events", 0, "stop after `N` sampled contention events")
	f.DurationVar(&o.period, "period", 10*time.Millisecond, "sample every `DURATION`")
	f.DurationVar(&o.handoff, "handoff", 0, "let a lock be free for `DURATION` between two owners")
	f.DurationVar(&o.stall, "stall", 0, "let every hundredth sample be `DURATION` late")
	f.Uint64Var(&o.config.Seed, "seed", 1, "draw from `SEED`")
	f.StringVar(&o.config.Slow, "slow", "", "let critical sections of `METHOD` take longer, by --slow-by")
	f.Int64Var(&o.config.SlowBy, "slow-by", 50, "`PERCENT` that --slow adds")
	f.BoolVar(&o.exact, "exact", false, "record every wait and tenure instead of sampling")
	f.BoolVar(&o.text, "text", false, "write the text form")
	bindCodec(c, &o.codec)
	f.StringVarP(&o.out, "output", "o", "", outputUsage)
	f.StringVar(&o.truth, "truth", "", "write who blocked whom, as the simulator knows it, to `FILE` as JSON")
	return c
}

func runSimulate(e *env, o *simulateOptions) error {
	if o.duration <= 0 || o.period <= 0 || o.handoff < 0 || o.stall < 0 || o.config.Threads < 1 || o.config.Locks < 1 ||
		o.config.Events < 0 ||
		o.config.SlowBy < 0 ||
		o.config.SlowBy > 1e6 {
		return usageError{
			errors.New("durations and numbers must be positive"),
			"'contend simulate --help' shows the defaults",
		}
	}
	w, end, err := e.createTrace(o.out, o.codec, o.text)
	if err != nil {
		return err
	}
	c := o.config
	c.Scenario = o.scenario.String()
	c.Duration, c.Period = o.duration.Nanoseconds(), o.period.Nanoseconds()
	c.Handoff, c.Stall = o.handoff.Nanoseconds(), o.stall.Nanoseconds()
	exact, sampled := format.Sink(nil), format.Sink(w)
	if o.exact {
		exact, sampled = w, nil
	}
	truth, err := simulate.Run(c, exact, sampled)
	if err = end(errors.Join(err, w.Close())); err != nil || o.truth == "" {
		return err
	}
	text, err := json.MarshalIndent(truth, "", "  ")
	if err != nil {
		return err
	}
	return e.writeText(o.truth, append(text, '\n'))
}
