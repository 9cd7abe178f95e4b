package cmd

import (
	"fmt"
	"slices"
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
	view  viewOption
	own   ownOption

	labels string
}

func newPprof(e *env) *cobra.Command {
	var o pprofOptions
	c := newCommand("pprof", func(*cobra.Command, []string) error { return runPprof(e, &o) })
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	o.view.bind(c, stacks.Site)
	c.Flags().StringVar(&o.labels, "labels", pprof.LabelNames[pprof.AllLabels], "give samples `LABELS`: "+strings.Join(pprof.LabelNames[:], ", "))
	offer(c, "labels", pprof.LabelNames[:]...)
	o.own.bind(c)
	return c
}

func runPprof(e *env, o *pprofOptions) error {
	view, err := o.view.get()
	if err != nil {
		return err
	}
	labels := slices.Index(pprof.LabelNames[:], o.labels)
	if labels < 0 {
		return usageError{fmt.Errorf("--labels: there are no labels %q", o.labels), "choose from " + strings.Join(pprof.LabelNames[:], ", ")}
	}
	app, err := o.own.get()
	if err != nil {
		return err
	}
	out, end, err := e.create(o.out, true)
	if err != nil {
		return err
	}
	b := stacks.New(view, app)
	res, err := o.trace.named(e, app, b)
	if err != nil {
		return err
	}
	b.Name = res.lockName
	if note := foldedNote(b, res); note != "" {
		e.warn(note)
	}
	if err := end(pprof.Write(out, document.NewProfile(b), res.stats.Unit, pprof.Labels(labels))); err != nil {
		return err
	}
	return res.verdict()
}

// foldedNote says how much of the waiting is in samples with fewer labels, ""
// where none is.
func foldedNote(b *stacks.Builder, res *result) string {
	if b.FoldedNs() == 0 {
		return ""
	}
	m := text.MeasureOf(res.coverage())
	return fmt.Sprintf("there are too many kinds of waits to keep all: %s have class and stack only, without threads, addresses and the locks between", m.Text(b.FoldedNs()))
}

// viewOption is the flag of commands that show sums by call stack.
type viewOption struct{ name string }

func (o *viewOption) bind(c *cobra.Command, usual stacks.View) {
	c.Flags().StringVar(&o.name, "view", stacks.Views[usual], "show `VIEW`: "+strings.Join(stacks.Views[:], ", "))
	offer(c, "view", stacks.Views[:]...)
}

func (o *viewOption) get() (stacks.View, error) {
	i := slices.Index(stacks.Views[:], o.name)
	if i < 0 {
		return 0, usageError{fmt.Errorf("--view: there is no view %q", o.name), "choose from " + strings.Join(stacks.Views[:], ", ")}
	}
	return stacks.View(i), nil
}
