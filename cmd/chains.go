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
	c := &cobra.Command{
		Use:   "chains [TRACE ...]",
		Short: "print the chains of waits, the heaviest first",
		Long: `Follow each wait to its end and sum by what is on the way: the group of
threads that waited (a thread name with its numbers removed), the class of the
lock, the method in which its owner was, and, where that one waited in turn, the
next class and method, up to an owner that waited for nobody. Of more than 17
locks those in the middle are left out; where there are tens of thousands of
chains, further ones have only their first lock and their end.

Signatures hold names only, so those of two recordings can be compared: --diff
says which chains came, went or changed, as shares of running time, and stands ~
where the difference may be noise. It is the last table of 'contend diff'.`,
		Example: `  contend chains --top 10 recording.jfr
  contend chains --diff before.jfr after.jfr
  contend chains --format csv recording.jfr`,
		RunE: func(*cobra.Command, []string) error { return runChains(e, &o) },
	}
	o.trace.bind(c)
	o.out.bind(c, chainsOutputs)
	c.Flags().StringSliceVar(&o.base, "diff", nil, "compare with the traces `BASE`, separated by commas")
	return c
}

func runChains(e *env, o *chainsOptions) error {
	if err := o.out.check(); err != nil {
		return err
	}
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

// compare sets the traces against those of --diff.
func (o *chainsOptions) compare(e *env) error {
	paths, err := o.trace.inputs(e)
	if err != nil {
		return err
	}
	d := diffOptions{trace: o.trace, out: o.out, base: o.base, new: paths, alpha: defaultAlpha, minChange: defaultMinChange}
	doc, damage := d.compare(e)
	if doc == nil {
		return damage
	}
	doc.OnlyChains()
	return cmp.Or(write(e, &o.out, diffOutputs, doc), damage)
}
