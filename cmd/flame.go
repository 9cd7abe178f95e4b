package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"contend/blame/stacks"
	"contend/decode"
	"contend/format"
	"contend/report/document"
	"contend/report/flame"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type flameOptions struct {
	usual bool // no view is given
	trace traceOptions
	out   outputOptions
	view  choice
	own   expression
	diff  string
}

func newFlame(e *env) *cobra.Command {
	var o flameOptions
	c := newCommand("flame", func(c *cobra.Command, _ []string) error {
		o.usual = !c.Flags().Changed("view")
		return runFlame(e, &o)
	})
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out.file, "output", "o", "", outputUsage)
	o.view.bindView(c, stacks.Blame)
	o.own.bindApp(c)
	o.out.bindFormat(c, flameOutputs, "", "write `FORMAT`: ")
	c.Flags().StringVar(&o.diff, "diff", "", "compare with the trace `BASE`; html only")
	return c
}

// form returns the form to draw: that of --format, else that of the file's ending, else a
// page.
func (o *flameOptions) form() error {
	if o.out.format == "" {
		ending := filepath.Ext(o.out.file)
		if o.out.format = flameOutputs.byEnding(ending); o.out.format == "" && ending != "" &&
			!slices.Contains(bitmaps, strings.ToLower(ending)) {
			return usageError{
				fmt.Errorf("-o %s: no form has files that end in %s", o.out.file, ending),
				"name a file that ends in .html, .svg, .folded, .txt or .json, or choose the form with --format",
			}
		}
		o.out.format = cmp.Or(o.out.format, "html")
	}
	o.out.binary = o.out.format == "html"
	return o.out.check()
}

func runFlame(e *env, o *flameOptions) error {
	if err := o.form(); err != nil {
		return err
	}
	if o.diff != "" && o.out.format != "html" {
		return usageError{errors.New("--diff: only a page shows differences"), "name a file that ends in .html"}
	}
	view := stacks.View(o.view.at)
	b := stacks.New(view, o.own.re)
	b.Shown = true
	var base *stacks.Builder
	var damage error
	if o.diff != "" {
		base, b.Stable = stacks.New(view, o.own.re), true
		base.Stable, base.Shown = true, true
		res, err := o.trace.alone(o.diff).run(e, base)
		if err != nil {
			return err
		}
		damage = res.verdict()
	}
	res, err := o.trace.named(e, o.own.re, b)
	if err != nil {
		return err
	}
	if o.usual && !slices.Contains(res.inputs, decode.Stdin) && res.warned(format.CodeByWaiter) {
		o.usual = false
		must(o.view.Set(stacks.Views[stacks.Blocked])) // a profile without owners
		return runFlame(e, o)
	}
	return cmp.Or(o.write(e, b, base, res), damage)
}

func (o *flameOptions) write(e *env, b, base *stacks.Builder, res *result) error {
	b.Name = res.lockName
	m := text.MeasureOf(res.coverage())
	answer := &flameAnswer{
		profile: document.NewProfile(b),
		caption: flame.Caption{
			Title:   fmt.Sprintf("%s: %s view", text.Sanitize(strings.Join(res.inputs, " ")), o.view.String()),
			Summary: waited(b, m),
			Of:      m.Counted(),
			Width:   "waiting " + m.What(),
		},
	}
	c := &answer.caption
	for _, w := range res.stats.Warnings {
		if w.Hidden > 0 || w.Code == format.CodeVirtualThreads {
			c.Summary += "; " + w.String()
		}
	}
	if note := foldedNote(b, res); note != "" {
		c.Summary += "; " + note
		e.warn(note)
	}
	if base != nil {
		answer.base = document.NewProfile(base)
		c.Title += ", compared with " + text.Sanitize(o.diff)
		c.Summary += "; before: " + waited(base, m)
	}
	return cmp.Or(write(e, &o.out, flameOutputs, answer), res.verdict())
}

// flameAnswer is the data of a flame graph.
type flameAnswer struct {
	profile, base *document.Profile // base is nil without --diff
	caption       flame.Caption
}

// waited returns the waiting of a builder as text.
func waited(b *stacks.Builder, m text.Measure) string {
	waits, ns := int64(0), int64(0)
	samples := b.Samples()
	for i := range samples {
		waits += samples[i].Waits
		ns += samples[i].DelayNs
	}
	if m.Counts() {
		return m.Text(ns)
	}
	return fmt.Sprintf("%s of waiting %s in %s", text.Duration(ns), m.What(), text.Amount(waits, "wait"))
}
