package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"contend/blame/compare"
	"contend/format"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type diffOptions struct {
	trace      traceOptions
	out        outputOptions
	base, new  []string
	alpha      float64
	minChange  float64
	operations []int64
}

// The default limits of a change: the chance that it is noise, and its size in percent of the base.
const (
	defaultAlpha     = 0.05
	defaultMinChange = 1
)

func newDiff(e *env) *cobra.Command {
	var o diffOptions
	c := newCommand("diff", func(_ *cobra.Command, args []string) error {
		if err := o.sides(args); err != nil {
			return err
		}
		return runDiff(e, &o)
	})
	o.trace.bind(c)
	o.out.bind(c, diffOutputs)
	f := c.Flags()
	f.StringSliceVar(&o.base, "base", nil, "compare with `TRACES`, separated by commas")
	f.StringSliceVar(&o.new, "new", nil, "compare `TRACES`, separated by commas")
	f.Float64Var(&o.alpha, "alpha", defaultAlpha, "the `CHANCE` of a table to show any change where there is none")
	f.Int64SliceVar(
		&o.operations,
		"operations",
		nil,
		"compare the waiting of each operation: `BASE,NEW` were done by each side",
	)
	f.Float64Var(
		&o.minChange,
		"min-change",
		defaultMinChange,
		"pass over changes of up to `PERCENT` of the base, however sure",
	)
	return c
}

// sides finds the traces of each side.
func (o *diffOptions) sides(args []string) error {
	const hint = "name two traces, or use --base A,B --new C,D"
	switch {
	case len(o.base) == 0 && len(o.new) == 0 && len(args) == 2:
		o.base, o.new = args[:1], args[1:]
	case len(args) > 0 && len(o.base)+len(o.new) > 0:
		return usageError{fmt.Errorf("%q stands beside --base and --new", args[0]), hint}
	case len(o.base) == 0 || len(o.new) == 0:
		return usageError{errors.New("two sides are needed"), hint}
	}
	if !(o.alpha > 0 && o.alpha < 1) { // NaN is out of bounds too, as below
		return usageError{errors.New("--alpha: must lie between 0 and 1"), "0.05 is 5 %"}
	}
	if !(o.minChange >= 0) {
		return usageError{errors.New("--min-change: cannot be negative"), ""}
	}
	if n := len(o.operations); n != 0 && (n != 2 || o.operations[0] <= 0 || o.operations[1] <= 0) {
		return usageError{
			errors.New("--operations: needs two numbers above 0"),
			"write --operations 12000,15000: those of the base first",
		}
	}
	return nil
}

func runDiff(e *env, o *diffOptions) error {
	doc, damage := o.compare(e)
	if doc == nil {
		return damage
	}
	return cmp.Or(write(e, &o.out, diffOutputs, doc), damage)
}

// compare analyses both sides. The error is errDamaged, beside a full answer,
// when a trace is damaged.
func (o *diffOptions) compare(e *env) (doc *document.Diff, damage error) {
	base, err := o.trace.profiles(e, o.base)
	if err != nil {
		return nil, err
	}
	newer, err := o.trace.profiles(e, o.new)
	if err != nil {
		return nil, err
	}
	if said, near, _ := strings.Cut(base.unmatched, "; "); said != "" && newer.unmatched != "" {
		return nil, usageError{errors.New(said), near} // that nothing changed is not known
	}
	how := compare.Options{Alpha: o.alpha, MinChange: o.minChange / 100}
	copy(how.Operations[:], o.operations)
	if how.Operations == [2]int64{} &&
		(base.side.Summed() || newer.side.Summed()) { // without times there is nothing to divide by
		how.Operations = [2]int64{1, 1}
	}
	d := compare.Compare(base.traces, newer.traces, how)
	return document.NewDiff(d, base.side, newer.side, o.out.top), cmp.Or(base.damage, newer.damage)
}

// diffSide is one side of a comparison.
type diffSide struct {
	traces    compare.Group
	side      document.Side
	damage    error  // errDamaged if a trace is damaged
	unmatched string // the filter that matches nothing in any trace, with what is near it; else ""
}

// profiles analyses each trace by itself.
func (o *traceOptions) profiles(e *env, paths []string) (*diffSide, error) {
	var out diffSide
	unmatched, empty := 0, 0
	for _, path := range paths {
		p := &compare.Profile{}
		res, err := o.alone(strings.TrimSpace(path)).named(e, nil, p)
		if err != nil {
			return nil, err
		}
		p.Named = res.names.Named(document.MaxLocks)
		if err := res.timeless(); err != nil &&
			!res.warned(format.CodeNoTimes) { // an input without times counts some seconds only, not a whole run
			return nil, err
		}
		if res.stats.Unit == format.UnitTime || res.stats.Unit.Summed() {
			p.ElapsedNs = res.trace.ElapsedNs
		}
		if o.leavesNothing(res) {
			empty++
		}
		if res.unmatched != "" {
			unmatched++
		}
		if unmatched == len(paths) {
			out.unmatched = res.unmatched
		}
		out.damage = cmp.Or(out.damage, res.verdict())
		out.traces, out.side.Traces = append(out.traces, p), append(out.side.Traces, res.side())
	}
	if empty == len(paths) && empty > 0 { // there is nothing to compare with
		return nil, usageError{
			fmt.Errorf("nothing of %s lies within --from and --to", strings.Join(paths, ", ")),
			"'contend analyze' without them says how long it is",
		}
	}
	out.side.BlockNs[0], out.side.BlockNs[1] = out.traces.Blocks()
	return &out, nil
}
