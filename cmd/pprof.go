package cmd

import (
	"fmt"
	"strings"

	"contend/blame/stacks"
	"contend/report/document"
	"contend/report/pprof"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type pprofOptions struct {
	trace traceOptions
	out   string
	view  choice
	own   expression

	labels choice
}

func newPprof(e *env) *cobra.Command {
	var o pprofOptions
	c := newCommand("pprof", func(*cobra.Command, []string) error { return runPprof(e, &o) })
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	o.view.bindView(c, stacks.Site)
	o.labels.bind(
		c,
		"labels",
		"there are no labels",
		"give samples `LABELS`: "+strings.Join(pprof.LabelNames[:], ", "),
		pprof.LabelNames[:],
		int(pprof.AllLabels),
	)
	o.own.bindApp(c)
	return c
}

func runPprof(e *env, o *pprofOptions) error {
	out, end, err := e.create(o.out, true)
	if err != nil {
		return err
	}
	b := stacks.New(stacks.View(o.view.at), o.own.re)
	res, err := o.trace.named(e, o.own.re, b)
	if err != nil {
		return err
	}
	b.Name = res.lockName
	if note := foldedNote(b, res); note != "" {
		e.warn(note)
	}
	if err := end(pprof.Write(out, document.NewProfile(b), res.stats.Unit, pprof.Labels(o.labels.at))); err != nil {
		return err
	}
	return res.verdict()
}

// foldedNote returns a note on the waiting in samples with fewer labels, "" if there is none.
func foldedNote(b *stacks.Builder, res *result) string {
	if b.FoldedNs() == 0 {
		return ""
	}
	m := text.MeasureOf(res.coverage())
	return fmt.Sprintf(
		"there are too many kinds of waits to keep all: %s have class and stack only, without threads, addresses "+
			"and the locks between",
		m.Text(b.FoldedNs()),
	)
}
