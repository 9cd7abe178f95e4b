package cmd

import (
	"cmp"

	"contend/blame"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type chainsOptions struct {
	trace traceOptions
	out   outputOptions
	base  []string
}

func newChains(e *env) *cobra.Command {
	var o chainsOptions
	c := newCommand("chains", func(*cobra.Command, []string) error { return runChains(e, &o) })
	o.trace.bind(c)
	o.out.bind(c, chainsOutputs)
	c.Flags().StringSliceVar(&o.base, "diff", nil, "compare with the traces `BASE`, separated by commas")
	return c
}

func runChains(e *env, o *chainsOptions) error {
	if len(o.base) > 0 {
		return o.compare(e)
	}
	c := blame.NewChains()
	res, err := o.trace.run(e, c)
	if err != nil {
		return err
	}
	doc := document.NewChains(c.Table(), res.coverage(), o.out.top)
	return cmp.Or(write(e, &o.out, chainsOutputs, doc), res.verdict())
}

// compare reads the traces of --diff and compares them.
func (o *chainsOptions) compare(e *env) error {
	paths, err := o.trace.inputs(e)
	if err != nil {
		return err
	}
	d := diffOptions{
		trace:     o.trace,
		out:       o.out,
		base:      o.base,
		new:       paths,
		alpha:     defaultAlpha,
		minChange: defaultMinChange,
	}
	doc, damage := d.compare(e)
	if doc == nil {
		return damage
	}
	doc.OnlyChains()
	return cmp.Or(write(e, &o.out, diffOutputs, doc), damage)
}
