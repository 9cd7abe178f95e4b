package cmd

import (
	"cmp"
	"fmt"
	"slices"

	"contend/blame"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type blameOptions struct {
	trace traceOptions
	out   outputOptions
	by    string
	root  bool

	operation expression
	own       expression
}

func newBlame(e *env) *cobra.Command {
	var o blameOptions
	c := newCommand("blame", func(c *cobra.Command, _ []string) error {
		if !c.Flags().Changed("by") && o.out.format != "table" {
			o.by = "owner-stack"
		}
		return runBlame(e, &o)
	})
	c.Long += "\n\n" + blame.Help("--by takes any sequence of ", blame.Pivots) + blame.Meanings
	o.trace.bind(c)
	o.out.bind(c, blameOutputs)
	c.Flags().
		StringVar(&o.by, "by", "owner-site,owner-doing", "sum by `KEYS`, separated by commas; of other formats than "+
			"a table the default is owner-stack")
	offerLists(c, "by", blame.Keys(blame.Pivots)...)
	o.operation.bind(c, "operation", "name operations by the frames that match `REGEXP`")
	o.own.bindApp(c)
	c.Flags().
		BoolVar(&o.root, "root", false, "charge the end of each chain of waits instead of the lock's direct owner")
	return c
}

func runBlame(e *env, o *blameOptions) error {
	keys, err := blame.ParseKeys(o.by, blame.Pivots)
	if err != nil {
		return usageError{fmt.Errorf("--by: %w", err), "'contend blame --help' says what each key means"}
	}
	if err := checkOperation(&o.operation, slices.ContainsFunc(keys, blame.Key.IsOperation)); err != nil {
		return err
	}
	pivot := blame.New(keys, o.root).Operations(o.operation.re).App(o.own.re)
	res, err := o.trace.named(e, o.own.re, pivot)
	if err != nil {
		return err
	}
	e.noMatch(&o.operation, frameNames(res.trace.Symbols))
	doc := document.NewBlame(pivot.Table(), pivot.RunningNs(), res.coverage(), o.out.top)
	return cmp.Or(write(e, &o.out, blameOutputs, doc), res.verdict())
}
