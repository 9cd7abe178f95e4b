package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"contend/report/flame"
	"contend/report/stacks"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type flameOptions struct {
	trace traceOptions
	out   string
	view  string
	as    string
	diff  string
}

// picture is a form of a flame graph, with the ending of its files.
type picture struct {
	name, ending string
	write        func(w io.Writer, b, base *stacks.Builder, title, summary string) error
}

var pictures = []picture{
	{"html", ".html", flame.HTML},
	{"svg", ".svg", func(w io.Writer, b, _ *stacks.Builder, title, summary string) error {
		return flame.SVG(w, b, title, summary)
	}},
	{"folded", ".folded", func(w io.Writer, b, _ *stacks.Builder, _, _ string) error { return flame.Folded(w, b) }},
	{"speedscope", ".json", func(w io.Writer, b, _ *stacks.Builder, title, _ string) error { return flame.Speedscope(w, b, title) }},
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

Forms, by the ending of FILE or --as:
  html        one page that needs no network: search, zoom, tooltips, keyboard
  svg         a picture
  folded      one stack a line, for flamegraph.pl and its relatives
  speedscope  JSON for speedscope

Views are those of 'contend pprof'. --diff compares with another trace: widths are
the new one's, colours the change in each frame's share of all waiting.`,
		Example: "  contend flame recording.jfr -o flame.html\n  contend flame --view chain --diff before.jfr after.jfr -o diff.html",
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runFlame(e, &o)
		},
	}
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	c.Flags().StringVar(&o.view, "view", "blame", "show `VIEW`: "+strings.Join(stacks.Views[:], ", "))
	c.Flags().StringVar(&o.as, "as", "", "write `FORM`: "+strings.Join(pictureNames(), ", "))
	c.Flags().StringVar(&o.diff, "diff", "", "compare with the trace `BASE`; html only")
	return c
}

// form finds the picture to draw: what --as says, else the file's ending.
func (o *flameOptions) form() (int, error) {
	name := o.as
	if name == "" {
		i := slices.IndexFunc(pictures, func(p picture) bool { return filepath.Ext(o.out) == p.ending })
		return max(i, 0), nil // a page, unless the ending says otherwise
	}
	i := slices.Index(pictureNames(), name)
	if i < 0 {
		return 0, usageError{fmt.Errorf("--as: there is no form %q", name), "choose from " + strings.Join(pictureNames(), ", ")}
	}
	return i, nil
}

func runFlame(e *env, o *flameOptions) error {
	view := slices.Index(stacks.Views[:], o.view)
	if view < 0 {
		return usageError{fmt.Errorf("--view: there is no view %q", o.view), "choose from " + strings.Join(stacks.Views[:], ", ")}
	}
	form, err := o.form()
	if err != nil {
		return err
	}
	if o.diff != "" && pictures[form].name != "html" {
		return usageError{errors.New("--diff: only a page shows differences"), "name a file that ends in .html"}
	}
	var base *stacks.Builder
	if o.diff != "" {
		before := o.trace
		before.paths = []string{o.diff}
		base = stacks.New(stacks.View(view))
		if _, err := before.run(e, base); err != nil {
			return err
		}
	}
	b := stacks.New(stacks.View(view))
	res, err := o.trace.run(e, b)
	if err != nil {
		return err
	}
	return o.write(e, form, b, base, res)
}

func (o *flameOptions) write(e *env, form int, b, base *stacks.Builder, res *result) error {
	waits, ns := int64(0), int64(0)
	samples := b.Samples()
	for i := range samples {
		waits += samples[i].Waits
		ns += samples[i].DelayNs
	}
	title := fmt.Sprintf("%s: %s view", table.Sanitize(strings.Join(res.inputs, " ")), o.view)
	if base != nil {
		title += ", compared with " + table.Sanitize(o.diff)
	}
	summary := fmt.Sprintf("%s of waiting thread-time in %d waits", table.Duration(ns), waits)
	out, closeOut, err := e.create(o.out, false)
	if err != nil {
		return err
	}
	var drawn bytes.Buffer
	err = pictures[form].write(&drawn, b, base, title, summary)
	if err == nil {
		_, err = out.Write(bytes.Map(harmless, drawn.Bytes()))
	}
	if err = errors.Join(err, closeOut()); err != nil {
		return err
	}
	return res.verdict()
}

// harmless replaces the characters by which a name from a trace acts on a
// terminal, or reorders the text around it.
func harmless(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Cf, r) {
		return unicode.ReplacementChar
	}
	return r
}
