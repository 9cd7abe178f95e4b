package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"contend/blame/stacks"
	"contend/report/document"
	"contend/report/flame"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type flameOptions struct {
	trace  traceOptions
	out    string
	view   viewOption
	format string
	diff   string
}

// picture is a form of a flame graph, with the ending of its files.
type picture struct {
	name, ending string
	write        func(w io.Writer, b, base *stacks.Builder, c flame.Caption) error
}

var pictures = []picture{
	{"html", ".html", flame.HTML},
	{"svg", ".svg", func(w io.Writer, b, _ *stacks.Builder, c flame.Caption) error { return flame.SVG(w, b, c) }},
	{"folded", ".folded", func(w io.Writer, b, _ *stacks.Builder, _ flame.Caption) error { return flame.Folded(w, b) }},
	{"speedscope", ".json", func(w io.Writer, b, _ *stacks.Builder, c flame.Caption) error { return flame.Speedscope(w, b, c) }},
}

func pictureNames() (names []string) {
	for _, p := range pictures {
		names = append(names, p.name)
	}
	return names
}

func newFlame(e *env) *cobra.Command {
	var o flameOptions
	c := &cobra.Command{
		Use:   "flame [TRACE ...] -o FILE",
		Short: "draw a flame graph: a page, a picture, or text for other tools",
		Long: `Draw the waiting as a flame graph. Widths are waiting thread-time.

Forms, by the ending of FILE or --format:
  html        one page that needs no network: search, zoom, tooltips, keyboard;
              what is drawn when nothing else is said
  svg         a picture
  folded      one stack a line, for flamegraph.pl and its relatives
  speedscope  JSON for speedscope

Views are those of 'contend pprof'. --diff compares with another trace: widths are
the new one's, colours the change in each frame's share of all waiting. Frames match
by method and locks by class: lines and addresses are left out. Where the input
counts and has no times (one thread dump), so do the pictures.`,
		Example: "  contend flame recording.jfr -o flame.html\n  contend flame --view chain --diff before.jfr after.jfr -o diff.html",
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runFlame(e, &o)
		},
	}
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	o.view.bind(c)
	c.Flags().StringVar(&o.format, "format", "", "write `FORMAT`: "+strings.Join(pictureNames(), ", "))
	c.Flags().StringVar(&o.diff, "diff", "", "compare with the trace `BASE`; html only")
	return c
}

// form finds the picture to draw: what --format says, else the file's ending.
func (o *flameOptions) form() (int, error) {
	name := o.format
	if name == "" {
		i := slices.IndexFunc(pictures, func(p picture) bool { return strings.EqualFold(filepath.Ext(o.out), p.ending) })
		return max(i, 0), nil // a page, unless the ending says otherwise
	}
	i := slices.Index(pictureNames(), name)
	if i < 0 {
		return 0, usageError{fmt.Errorf("--format: there is no format %q", name), "choose from " + strings.Join(pictureNames(), ", ")}
	}
	return i, nil
}

func runFlame(e *env, o *flameOptions) error {
	view, err := o.view.get()
	if err != nil {
		return err
	}
	form, err := o.form()
	if err != nil {
		return err
	}
	if o.diff != "" && pictures[form].name != "html" {
		return usageError{errors.New("--diff: only a page shows differences"), "name a file that ends in .html"}
	}
	b := stacks.New(view)
	var base *stacks.Builder
	var damage error
	if o.diff != "" {
		before := o.trace
		before.paths = []string{o.diff}
		base, b.Stable = stacks.New(view), true
		base.Stable = true
		res, err := before.run(e, base)
		if err != nil {
			return err
		}
		damage = res.verdict()
	}
	res, err := o.trace.run(e, b)
	if err != nil {
		return err
	}
	return cmp.Or(o.write(e, form, b, base, res), damage)
}

func (o *flameOptions) write(e *env, form int, b, base *stacks.Builder, res *result) error {
	m := text.MeasureOf(document.NewCoverage(res.stats, res.trace))
	c := flame.Caption{Title: fmt.Sprintf("%s: %s view", text.Sanitize(strings.Join(res.inputs, " ")), o.view.name), Summary: waited(b, m), Of: m.Of()}
	if base != nil {
		c.Title += ", compared with " + text.Sanitize(o.diff)
		c.Summary += "; before: " + waited(base, m)
	}
	out, closeOut, err := e.create(o.out, pictures[form].name == "html")
	if err != nil {
		return err
	}
	if err := errors.Join(pictures[form].write(out, b, base, c), closeOut()); err != nil {
		return err
	}
	return res.verdict()
}

// waited says how much waiting a builder has seen.
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
	return fmt.Sprintf("%s of waiting thread-time in %d waits", text.Duration(ns), waits)
}
