package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strings"
)

// Style is a way to write tables.
type Style uint8

// The styles.
const (
	Text Style = iota
	Markdown
	CSV
)

// Options of a renderer.
type Options struct {
	Style   Style
	Width   int    // columns of the terminal; 0 means no limit
	Top     int    // rows of a table that a document has whole; 0 means all
	Section string // of CSV: the one table to write; "" is all
	Color   bool   // the terminal shows colours, and its user wants them
	Chart   bool   // draw pressure over time
	Matrix  bool   // write a graph as a table of waiters by owners
}

// Cell is one value, in a form for people and in one for machines.
type Cell struct {
	Text string
	Raw  string
}

// Grid is a table. Columns marked Left hold names, the others numbers. If the table is too wide, the
// widest names are folded.
type Grid struct {
	Title string
	Head  []string // machine names in CSV are the same in lower case
	Left  []bool
	Under []string // heads of columns to print below the row if the line is too long
	Drop  []string // heads of columns to omit, in this order, if the line is still too long
	Rows  [][]Cell
	Made  iter.Seq[[]Cell] // rows of a table too long to keep, made anew each time they are looked at, in place of Rows
	Below []string         // as text, what to print under each row; "" for nothing
	Notes []string         // below the table
	CSV   []string         // the head of the columns in CSV when it is not Head in lower case
}

// report is the answer of a command: lines about the input, tables, and the coverage. CSV has the
// tables alone; warnings go to standard error.
type report struct {
	lead  []string // lines
	grids []*Grid
	tail  []string // paragraphs
}

func (r report) write(w io.Writer, o Options) error {
	if o.Style == CSV {
		for _, g := range r.grids {
			if err := g.csv(w); err != nil {
				return err
			}
		}
		return nil
	}
	out := bufio.NewWriter(w)
	for _, line := range r.lead {
		out.WriteString(o.wrap(line, "") + "\n")
	}
	if len(r.lead) > 0 {
		out.WriteByte('\n')
	}
	for _, g := range r.grids {
		if err := g.write(out, o); err != nil {
			return err
		}
	}
	out.WriteString(o.paragraphs(r.tail))
	return out.Flush()
}

// write writes one grid for people. Rows are made twice, once to measure them and once to
// print them, so that a table of any length takes no more memory than a line.
func (g *Grid) write(out *bufio.Writer, o Options) error {
	l := g.layout(o)
	title, indent := o.wrap(g.Title, ""), "  "
	if o.Style == Markdown {
		title, indent = "### "+title+"\n", "\n"
	}
	out.WriteString(title + "\n")
	switch {
	case l.rows == 0:
	case o.Style == Markdown:
		if err := l.markdown(out, o); err != nil {
			return err
		}
	default:
		l.lines(out, o)
	}
	for _, n := range slices.Concat(g.Notes, l.notes) {
		out.WriteString(o.wrap(n, indent) + "\n")
	}
	return out.WriteByte('\n')
}

// rows returns the rows of the table, kept or made.
func (g *Grid) rows() iter.Seq[[]Cell] {
	if g.Made != nil {
		return g.Made
	}
	return slices.Values(g.Rows)
}

// machineHead returns the head of the columns in CSV.
func (g *Grid) machineHead() []string {
	if g.CSV != nil {
		return g.CSV
	}
	head := make([]string, len(g.Head))
	for i, h := range g.Head {
		head[i] = strings.ReplaceAll(strings.ToLower(h), " ", "_")
	}
	return head
}

func (g *Grid) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(g.machineHead()); err != nil {
		return err
	}
	for r := range g.rows() {
		line := make([]string, len(r))
		for i, c := range r {
			line[i] = inCSV(c.Raw)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
