package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"contend/analysis/dist"
	"contend/blame/lengths"
	"contend/report/document"
	"contend/report/plot"
	"contend/report/table"
)

// histAnswer is what the writers write.
type histAnswer struct {
	doc       *document.Hist
	total     *lengths.Lengths
	head      dist.Head       // of a log
	intervals []dist.Interval // for a log, in no order
}

// histWriters are the formats only this command has.
var histWriters = map[string]func(w io.Writer, a *histAnswer) error{
	"bars": func(w io.Writer, a *histAnswer) error { return table.Bars(w, a.doc, table.Options{Width: width(w)}) },
	"hgrm": writeHgrm,
	"hlog": writeHlog,
	"svg":  func(w io.Writer, a *histAnswer) error { return plot.SVG(w, a.doc) },
	"html": func(w io.Writer, a *histAnswer) error { return plot.HTML(w, a.doc) },
}

// histFormats are what --format takes.
func histFormats() []string {
	names := slices.Clone(formats)
	for name := range histWriters {
		names = append(names, name)
	}
	slices.Sort(names[len(formats):])
	return names
}

// endings are the formats that the end of a file's name stands for, where it
// is not the format's own name.
var endings = map[string]string{"md": "markdown", "htm": "html"}

// write writes the answer where and how it was asked for.
func (o *histOptions) write(e *env, a *histAnswer) error {
	to, closeFile, err := e.create(o.file, false)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	if writer, ok := histWriters[o.out.format]; ok {
		err = writer(out, a)
	} else if style, asJSON := o.out.style(&env{out: to}); asJSON {
		err = document.Write(out, a.doc)
	} else {
		err = table.Hist(out, a.doc, style)
	}
	return errors.Join(err, out.Flush(), closeFile())
}

// writeHgrm writes the percentiles of all waits; of sampled ones, which only
// have bounds, the upper.
func writeHgrm(w io.Writer, a *histAnswer) error {
	if a.total.Exact.Count() > 0 || a.total.AtMost.Count() == 0 {
		return a.total.Exact.WritePercentiles(w)
	}
	if _, err := fmt.Fprintln(w, "#[Sampled waits: each value is an upper bound]"); err != nil {
		return err
	}
	return a.total.AtMost.WritePercentiles(w)
}

func writeHlog(w io.Writer, a *histAnswer) error {
	log, err := dist.NewLogWriter(w, a.head)
	if err != nil {
		return err
	}
	return log.WriteAll(a.intervals)
}
