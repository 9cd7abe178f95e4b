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

var analyzeOutputs = tabular(writeAnalyze, func(a *analyzeAnswer) any { return a.doc })

var (
	blameOutputs  = tabular(table.Blame, itself)
	chainsOutputs = tabular(table.Chains, itself)
	diffOutputs   = tabular(table.Diff, itself)
	verifyOutputs = tabular(table.Verify, itself)
	whatIfOutputs = tabular(table.WhatIf, itself)
)

var cspOutputs = append(tabular(writeCSP, func(a *cspAnswer) any { return a.doc }), outputs[*cspAnswer]{
	{"svg", []string{".svg"}, true, func(w io.Writer, a *cspAnswer, _ table.Options) error { return plot.TimelineSVG(w, a.doc, a.top) }},
	{"html", []string{".html", ".htm"}, true, func(w io.Writer, a *cspAnswer, _ table.Options) error { return plot.TimelineHTML(w, a.doc, a.top) }},
}...)

var graphOutputs = append(tabular(writeGraph, func(a *graphAnswer) any { return a.doc }), outputs[*graphAnswer]{
	{"dot", []string{".dot", ".gv"}, true, func(w io.Writer, a *graphAnswer, _ table.Options) error { return graph.DOT(w, a.doc) }},
	{"mermaid", []string{".mmd", ".mermaid"}, true, func(w io.Writer, a *graphAnswer, _ table.Options) error { return graph.Mermaid(w, a.doc) }},
	{"html", []string{".html", ".htm"}, true, drawGraphPage},
}...)

var histOutputs = append(tabular(func(w io.Writer, a *histAnswer, how table.Options) error {
	return table.Hist(w, a.doc, how)
}, func(a *histAnswer) any { return a.doc }), outputs[*histAnswer]{
	{"bars", []string{".bars"}, false, func(w io.Writer, a *histAnswer, how table.Options) error { return table.Bars(w, a.doc, how) }},
	{"hgrm", []string{".hgrm"}, false, writeHgrm},
	{"hlog", []string{".hlog"}, false, writeHlog},
	{"html", []string{".html", ".htm"}, true, func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.HTML(w, a.doc) }},
	{"svg", []string{".svg"}, true, func(w io.Writer, a *histAnswer, _ table.Options) error { return plot.SVG(w, a.doc) }},
}...)

var checkOutputs = outputs[*document.Check]{
	{"table", []string{".txt"}, false, table.Check},
	{"markdown", []string{".md", ".markdown"}, false, inStyle(table.Markdown, table.Check)},
	{"json", []string{".json"}, false, inJSON[*document.Check](itself)},
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
func tabular[D any](write func(io.Writer, D, table.Options) error, doc func(D) any) outputs[D] {
	return outputs[D]{
		{"table", []string{".txt"}, false, write},
		{"markdown", []string{".md", ".markdown"}, false, inStyle(table.Markdown, write)},
		{"csv", []string{".csv"}, false, inStyle(table.CSV, write)},
		{"json", []string{".json"}, false, inJSON(doc)},
	}
}

// inStyle writes tables that are not for a terminal.
func inStyle[D any](style table.Style, write func(io.Writer, D, table.Options) error) func(io.Writer, D, table.Options) error {
	return func(w io.Writer, a D, _ table.Options) error { return write(w, a, table.Options{Style: style}) }
}

// inJSON writes the document of an answer.
func inJSON[D any](doc func(D) any) func(io.Writer, D, table.Options) error {
	return func(w io.Writer, a D, _ table.Options) error { return document.Write(w, doc(a)) }
}

// itself is the document of an answer that is one.
func itself[D any](doc D) any { return doc }
