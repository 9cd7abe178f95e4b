// Package table renders documents as text, markdown and CSV. It is the only
// room that formats numbers for people and escapes names for terminals.
package table

import (
	"encoding/csv"
	"fmt"
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
	Section string // of CSV: the one table to write; "" is all
	Color   bool   // the terminal shows colours, and its user wants them
}

// Cell is one value, as people read it and as machines do.
type Cell struct {
	Text string
	Raw  string
}

// Grid is a table about to be written. Columns marked Left hold names, the
// others numbers. When the table is too wide, the widest names are cut.
type Grid struct {
	Title string
	Head  []string // machine names in CSV are the same in lower case
	Left  []bool
	Under []string // heads of columns that stand under their rows, whole, where they do not fit beside the other names cut short
	Drop  []string // heads of columns to do without, first to go first, where even cut names do not fit the terminal
	Rows  [][]Cell
	Made  iter.Seq[[]Cell] // rows of a table too long to keep, made anew each time they are looked at, in place of Rows
	Below []string         // as text, what to print under each row; "" for nothing
	Notes []string         // below the table
	CSV   []string         // the head of the columns in CSV when it is not Head in lower case
}

// Write renders the grid.
func (g *Grid) Write(w io.Writer, o Options) error {
	if o.Style == CSV {
		return g.csv(w)
	}
	g = g.narrow(o)
	title := wrap(g.Title, "", o)
	if o.Style == Markdown {
		title = "### " + title + "\n"
	}
	if _, err := fmt.Fprintln(w, title); err != nil {
		return err
	}
	if err := g.body(w, o); err != nil {
		return err
	}
	for _, n := range g.Notes {
		if _, err := fmt.Fprintln(w, wrap(n, indent(o.Style), o)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// rows are those of the table, wherever they come from.
func (g *Grid) rows() iter.Seq[[]Cell] {
	if g.Made != nil {
		return g.Made
	}
	return slices.Values(g.Rows)
}

func indent(s Style) string {
	if s == Markdown {
		return "\n"
	}
	return "  "
}

// machineHead is the head of the columns in CSV.
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
