package cmd

import (
	"io"

	"contend/report/document"
	"contend/report/flame"
	"contend/report/graph"
	"contend/report/plot"
	"contend/report/table"
)

// What each command can answer in. A form is added here and nowhere else:
// --format, the endings that -o knows, what shells complete and what errors
// list come from these tables.

var analyzeOutputs = tabular(writeAnalyze)

var (
	blameOutputs  = tabular(table.Blame)
	chainsOutputs = tabular(table.Chains)
	diffOutputs   = tabular(table.Diff)
	verifyOutputs = tabular(table.Verify)
	whatIfOutputs = tabular(table.WhatIf)
)

var cspOutputs = append(tabular(table.CSP), outputs[*document.CSP]{
	{"svg", []string{".svg"}, true, func(w io.Writer, d *document.CSP, how table.Options) error { return plot.TimelineSVG(w, d, how.Top) }},
	{"html", []string{".html", ".htm"}, true, func(w io.Writer, d *document.CSP, how table.Options) error { return plot.TimelineHTML(w, d, how.Top) }},
}...)

var graphOutputs = append(tabular(table.Graph), outputs[*document.Graph]{
	{"dot", []string{".dot", ".gv"}, true, func(w io.Writer, d *document.Graph, _ table.Options) error { return graph.DOT(w, d) }},
	{"mermaid", []string{".mmd", ".mermaid"}, true, func(w io.Writer, d *document.Graph, _ table.Options) error { return graph.Mermaid(w, d) }},
	{"html", []string{".html", ".htm"}, true, drawGraphPage},
}...)

var histOutputs = append(tabular(func(w io.Writer, a *histAnswer, how table.Options) error { return table.Hist(w, a.Hist, how) }), outputs[*histAnswer]{
	{"bars", []string{".bars"}, false, func(w io.Writer, a *histAnswer, how table.Options) error { return table.Bars(w, a.Hist, how) }},
	{"hgrm", []string{".hgrm"}, false, writeHgrm},
	{"hlog", []string{".hlog"}, false, writeHlog},
	{"html", []string{".html", ".htm"}, true, func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.HTML(w, a.Hist) }},
	{"svg", []string{".svg"}, true, func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.SVG(w, a.Hist) }},
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
	{"svg", []string{".svg"}, true, func(w io.Writer, a *flameAnswer, _ table.Options) error { return flame.SVG(w, a.profile, a.caption) }},
	{"folded", []string{".folded", ".txt"}, false, func(w io.Writer, a *flameAnswer, _ table.Options) error { return flame.Folded(w, a.profile) }},
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
func inStyle[D any](style table.Style, write func(io.Writer, D, table.Options) error) func(io.Writer, D, table.Options) error {
	return func(w io.Writer, a D, how table.Options) error {
		how.Style, how.Width, how.Color = style, 0, false
		return write(w, a, how)
	}
}

// inJSON writes an answer, which is a document or has one embedded.
func inJSON[D any](w io.Writer, a D, _ table.Options) error { return document.Write(w, a) }
