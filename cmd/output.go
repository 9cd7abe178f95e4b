package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/flame"
	"contend/report/graph"
	"contend/report/plot"
	"contend/report/table"

	"github.com/spf13/cobra"
)

// output is a form in which a command gives an answer of type D.
type output[D any] struct {
	name    string   // what --format takes
	endings []string // of names of files that choose it
	drawn   bool     // a picture, or text that draws one
	write   func(w io.Writer, answer D, how table.Options) error
}

// outputs are all forms of a command, in the order in which help lists them.
type outputs[D any] []output[D]

// forms are the outputs of a command, whatever its answer is.
type forms interface {
	names() []string
	byEnding(ending string) string
	draws(name string) bool
}

func (all outputs[D]) names() (names []string) {
	for _, o := range all {
		names = append(names, o.name)
	}
	return names
}

// byEnding returns the name of the form files with this ending have, "" for
// none.
func (all outputs[D]) byEnding(ending string) string {
	for _, o := range all {
		if slices.Contains(o.endings, strings.ToLower(ending)) {
			return o.name
		}
	}
	return ""
}

func (all outputs[D]) draws(name string) bool {
	return slices.ContainsFunc(all, func(o output[D]) bool { return o.name == name && o.drawn })
}

// outputOptions are the flags of every command that answers in several forms.
type outputOptions struct {
	format string
	top    int
	file   string // "" is standard output
	ending string // of the file, if it chose the format
	binary bool   // cannot be shown on a terminal
	forms  forms
	how    table.Options // further flags
}

// bindFormat adds --format with the given usage and the names of the formats.
func (o *outputOptions) bindFormat(c *cobra.Command, all forms, format, usage string) {
	o.forms = all
	c.Flags().StringVar(&o.format, "format", format, usage+strings.Join(all.names(), ", "))
	offer(c, "format", all.names()...)
}

// bind adds --format, --top and -o.
func (o *outputOptions) bind(c *cobra.Command, all forms) {
	o.bindFormat(c, all, all.names()[0], "print `FORMAT`: ")
	o.bindTop(c)
	o.bindFile(c)
}

// widthUsage is the usage of --width.
const widthUsage = "print lines of `N` columns instead of the terminal's (80 where there is none)"

// defaultTop is how many rows are shown unless --top says otherwise.
const defaultTop = 10

func (o *outputOptions) bindTop(c *cobra.Command) {
	c.Flags().IntVar(&o.top, "top", defaultTop, "show at most `N` rows; 0 shows all")
}

// bindFile adds -o. The ending of the file chooses a format, too.
func (o *outputOptions) bindFile(c *cobra.Command) {
	c.Flags().StringVarP(&o.file, "output", "o", "", outputUsage)
	c.Flags().Lookup("format").Usage += "; the suffix of FILE chooses as well"
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		o.bySuffix(c)
		return o.check()
	}
}

// bySuffix takes the format from the name of the file to write, unless the
// user said which. An ending of another command's files is refused by check,
// under the name that the form has there.
func (o *outputOptions) bySuffix(c *cobra.Command) {
	if c.Flags().Changed("format") {
		return
	}
	ending := filepath.Ext(o.file)
	for _, all := range append([]forms{o.forms}, allForms()...) {
		if name := all.byEnding(ending); name != "" {
			o.format, o.ending = name, ending
			return
		}
	}
}

// check refuses values no writer knows.
func (o *outputOptions) check() error {
	if o.format == "text" { // the former name of the table of check
		o.format = "table"
	}
	switch {
	case !slices.Contains(o.forms.names(), o.format) && o.ending != "":
		return usageError{
			fmt.Errorf("-o %s: there is no format for %s here", o.file, o.ending),
			"choose from the formats " + strings.Join(o.forms.names(), ", ") + ", with --format or the suffix",
		}
	case !slices.Contains(o.forms.names(), o.format):
		return usageError{
			fmt.Errorf("--format: there is no format %q", o.format),
			"choose from " + strings.Join(o.forms.names(), ", "),
		}
	case slices.Contains(bitmaps, strings.ToLower(filepath.Ext(o.file))):
		return usageError{
			fmt.Errorf("-o %s: no command writes %s files", o.file, strings.ToLower(filepath.Ext(o.file)[1:])),
			"choose from the formats " + strings.Join(o.forms.names(), ", ") + "; a browser prints what is drawn",
		}
	case o.top < 0:
		return usageError{errors.New("--top: cannot be negative"), "0 shows all"}
	}
	return nil
}

// drawn reports whether the answer is drawn.
func (o *outputOptions) drawn() bool { return o.forms.draws(o.format) }

// write writes an answer to the file and in the format that flags choose.
func write[D any](e *env, o *outputOptions, all outputs[D], answer D) error {
	to, end, err := e.create(o.file, o.binary)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	how, form := o.how, all[slices.Index(all.names(), o.format)] // check refuses others
	how.Width = cmp.Or(how.Width, table.TerminalWidth(to))
	how.Top = o.top
	how.Color = colorful(to)
	if err = form.write(out, answer, how); err == nil {
		err = out.Flush()
	}
	return end(err)
}

// writeText writes a text to a file, or to standard output.
func (e *env) writeText(file string, text []byte) error {
	to, end, err := e.create(file, false)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return end(err)
}

// The forms of each command's answer. A form is added here and nowhere else: --format, the endings
// of -o, shell completions and errors use these tables.

var analyzeOutputs = tabular(writeAnalyze)

var (
	blameOutputs  = tabular(table.Blame)
	chainsOutputs = tabular(table.Chains)
	diffOutputs   = tabular(table.Diff)
	verifyOutputs = tabular(table.Verify)
	whatIfOutputs = tabular(table.WhatIf)
)

var cspOutputs = append(tabular(table.CSP), outputs[*document.CSP]{
	{
		"svg",
		[]string{".svg"},
		true,
		func(w io.Writer, d *document.CSP, how table.Options) error { return plot.TimelineSVG(w, d, how.Top) },
	},
	{
		"html",
		[]string{".html", ".htm"},
		true,
		func(w io.Writer, d *document.CSP, how table.Options) error { return plot.TimelineHTML(w, d, how.Top) },
	},
}...)

var graphOutputs = append(tabular(table.Graph), outputs[*document.Graph]{
	{
		"dot",
		[]string{".dot", ".gv"},
		true,
		func(w io.Writer, d *document.Graph, _ table.Options) error { return graph.DOT(w, d) },
	},
	{
		"mermaid",
		[]string{".mmd", ".mermaid"},
		true,
		func(w io.Writer, d *document.Graph, _ table.Options) error { return graph.Mermaid(w, d) },
	},
	{"html", []string{".html", ".htm"}, true, drawGraphPage},
}...)

var histOutputs = append(
	tabular(func(w io.Writer, a *histAnswer, how table.Options) error { return table.Hist(w, a.Hist, how) }),
	outputs[*histAnswer]{
		{
			"bars",
			[]string{".bars"},
			false,
			func(w io.Writer, a *histAnswer, how table.Options) error { return table.Bars(w, a.Hist, how) },
		},
		{"hgrm", []string{".hgrm"}, false, writeHgrm},
		{"hlog", []string{".hlog"}, false, writeHlog},
		{
			"html",
			[]string{".html", ".htm"},
			true,
			func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.HTML(w, a.Hist) },
		},
		{
			"svg",
			[]string{".svg"},
			true,
			func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.SVG(w, a.Hist) },
		},
	}...)

var checkOutputs = outputs[*document.Check]{
	{"table", []string{".txt"}, false, table.Check},
	{"markdown", []string{".md", ".markdown"}, false, inStyle(table.Markdown, table.Check)},
	{"json", []string{".json"}, false, inJSON[*document.Check]},
	{"junit", []string{".xml"}, false, table.JUnit},
}

var flameOutputs = outputs[*flameAnswer]{
	{"html", []string{".html", ".htm"}, true, func(w io.Writer, a *flameAnswer, _ table.Options) error {
		return flame.HTML(w, a.profile, a.base, a.caption)
	}},
	{
		"svg",
		[]string{".svg"},
		true,
		func(w io.Writer, a *flameAnswer, _ table.Options) error { return flame.SVG(w, a.profile, a.caption) },
	},
	{
		"folded",
		[]string{".folded", ".txt"},
		false,
		func(w io.Writer, a *flameAnswer, _ table.Options) error { return flame.Folded(w, a.profile) },
	},
	{"speedscope", []string{".json"}, false, func(w io.Writer, a *flameAnswer, _ table.Options) error {
		return flame.Speedscope(w, a.profile, a.caption)
	}},
}

// allForms are the formats of commands that choose one by the file's ending.
func allForms() []forms { return []forms{cspOutputs, graphOutputs, histOutputs} }

// tabular are the forms of every command that prints a table.
func tabular[D any](write func(io.Writer, D, table.Options) error) outputs[D] {
	return outputs[D]{
		{"table", []string{".txt"}, false, write},
		{"markdown", []string{".md", ".markdown"}, false, inStyle(table.Markdown, write)},
		{"csv", []string{".csv"}, false, inStyle(table.CSV, write)},
		{"json", []string{".json"}, false, inJSON[D]},
	}
}

// inStyle writes tables that are not for a terminal.
func inStyle[D any](
	style table.Style,
	write func(io.Writer, D, table.Options) error,
) func(io.Writer, D, table.Options) error {
	return func(w io.Writer, a D, how table.Options) error {
		how.Style = style
		how.Width = 0
		how.Color = false
		return write(w, a, how)
	}
}

// inJSON writes an answer, which is a document or has one embedded.
func inJSON[D any](w io.Writer, a D, _ table.Options) error { return document.Write(w, a) }
