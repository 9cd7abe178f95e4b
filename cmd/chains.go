package cmd

import (
	"bufio"

	"contend/blame/chains"
	"contend/report/schema"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type chainsOptions struct {
	trace traceOptions
	out   outputOptions
}

func newChains(e *env) *cobra.Command {
	var o chainsOptions
	c := &cobra.Command{
		Use:   "chains [TRACE ...]",
		Short: "print the chains of waits, the heaviest first",
		Long: `Follow each wait to its end and sum by what is met on the way: the group of
threads that waited (a thread name with its numbers removed), the class of the
lock, the method in which its owner was, and, where that one waited in turn, the
next class and method, up to an owner that waited for nobody.

Signatures hold names only, so those of two recordings can be compared:
  contend chains --top 0 --format json old.jfr | jq -r '.chains[].signature'`,
		Example: `  contend chains --top 10 recording.jfr
  contend chains --format csv recording.jfr`,
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runChains(e, &o)
		},
	}
	o.trace.bind(c)
	o.out.bind(c, 20)
	return c
}

func runChains(e *env, o *chainsOptions) error {
	if err := o.out.check(); err != nil {
		return err
	}
	c := chains.New()
	res, err := o.trace.run(e, c)
	if err != nil {
		return err
	}
	doc := schema.NewChains(c.Table(), schema.NewCoverage(res.stats, res.trace), o.out.top)
	out := bufio.NewWriter(e.out)
	if style, asJSON := o.out.style(e); asJSON {
		err = schema.Write(out, doc)
	} else {
		err = table.Chains(out, doc, style)
	}
	return answered(out, err, res)
}
