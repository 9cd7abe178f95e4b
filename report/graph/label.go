package graph

import (
	"fmt"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// longest is how many characters of a name a picture shows.
const longest = 60

// title says what the picture shows and what it leaves out.
func title(g *document.Graph) string {
	m := text.MeasureOf(g.Coverage)
	sum := fmt.Sprintf(
		"%s %s, wall-time %s, %s",
		m.What(),
		text.Duration(g.Total.WaitNs),
		text.Duration(g.Total.WallNs),
		text.Amount(g.Total.Waits, "wait"),
	)
	if m.Counts() {
		sum = m.Text(g.Total.WaitNs)
	}
	parts := []string{fmt.Sprintf("who waited for whom, by %s (%s blame)", g.By, g.Metric), sum}
	if rest := text.LeftOut(g); rest != "" {
		parts = append(parts, rest)
	}
	if rest := text.InOther(g.Other, g.Coverage, "edges"); rest != "" {
		parts = append(parts, rest)
	}
	return strings.Join(parts, "\n")
}

// named is how a form of the graph writes names. Where a whole name can be looked
// up, labels do without packages.
type named struct{ node, class func(string) string }

var whole = named{shorten, shorten}

func plain(g *document.Graph) named {
	names := text.Plain{Paths: g.Coverage.Goroutines()}
	return named{
		func(n string) string { return shorten(names.Name(n)) },
		func(n string) string { return shorten(names.Class(n)) },
	}
}

// nodeLabel gives a node's name, its times, and the cycle it is on.
func nodeLabel(g *document.Graph, n *document.Node, names named) string {
	label, amount := names.node(n.Name), text.MeasureOf(g.Coverage)
	var times []string
	if n.WaitedNs > 0 {
		times = append(times, "waited "+amount.Short(n.WaitedNs))
	}
	if n.CausedNs > 0 {
		times = append(times, "caused "+amount.Short(n.CausedNs))
	}
	if len(times) > 0 {
		label += "\n" + strings.Join(times, ", ")
	}
	switch {
	case n.Closed:
		label += fmt.Sprintf("\nclosed cycle %d", n.Component)
	case n.Component > 0:
		label += fmt.Sprintf("\ncycle %d", n.Component)
	}
	return label
}

// edgeLabel gives the thread-time, the wall-time, the waits (where only counted,
// how many) and the heaviest class of lock of an edge.
func edgeLabel(g *document.Graph, e *document.Edge, names named) string {
	m := text.MeasureOf(g.Coverage)
	label := m.Short(e.ThreadNs)
	if !m.Counts() {
		label += fmt.Sprintf("\nwall %s, %s", text.Duration(e.WallNs), text.Amount(e.Waits, "wait"))
	}
	if len(e.Locks) > 0 {
		label += "\n" + names.class(e.Locks[0].Class)
	}
	if len(e.Locks) > 1 {
		label += fmt.Sprintf(" and %d more", len(e.Locks)-1)
	}
	return label
}

// locks lists the classes of an edge with their times.
func locks(g *document.Graph, e *document.Edge) string {
	var lines []string
	for _, l := range e.Locks {
		lines = append(lines, fmt.Sprintf("%s: %s", shorten(l.Class), text.MeasureOf(g.Coverage).Short(l.ThreadNs)))
	}
	return strings.Join(lines, "\n")
}

// shorten makes a name fit on one line: what stands before the last dots is
// what one can do without.
func shorten(name string) string {
	return text.Shorten(text.Sanitize(name), longest, text.End)
}

// fills are the colours of cycles, which repeat.
var fills = [...]string{"#fde0c5", "#d4e4f7", "#dcefd0", "#ecd9f0", "#fbf2c0", "#d5eeec"}

// shape is how a node is drawn: its name for the page, and its attributes for Graphviz and
// for Mermaid.
type shape struct{ name, dot, mermaid string }

// shapeOf returns the shape of a node: pseudo owners, nodes of a cycle that no edge leaves, and
// nodes of another cycle differ from the rest.
func shapeOf(n *document.Node) shape {
	if n.Pseudo {
		return shape{"pseudo", `, style="rounded,dashed"`, "stroke-dasharray:4 3"}
	}
	if n.Component == 0 && !n.Closed {
		return shape{}
	}
	colour := fills[(n.Component-1)%len(fills)]
	s := shape{"cycle", fmt.Sprintf(`, style="rounded,filled", fillcolor="%s"`, colour), "fill:" + colour}
	if n.Closed {
		s = shape{"closed", s.dot + ", peripheries=2", s.mermaid + ",stroke-width:4px"}
	}
	return s
}

// pen is the width of an edge: from 1 to 6 by its share of the widest one,
// which comes first.
func pen(e *document.Edge, g *document.Graph) string {
	widest := max(g.Edges[0].ThreadNs, 1)
	return fmt.Sprintf("%.2f", 1+5*float64(e.ThreadNs)/float64(widest))
}
