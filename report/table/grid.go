// Package table renders documents as text, markdown and CSV. It is the only
// room that formats numbers for people and escapes names for terminals.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
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
	Style Style
	Width int  // columns of the terminal; 0 means no limit
	Color bool // the terminal shows colours, and its user wants them
}

// Cell is one value, as people read it and as machines do.
type Cell struct {
	Text string
	Raw  string
}

// Grid is a table about to be written. Columns marked Left hold names, the
// others numbers. When the table is too wide, the column Flex gives way.
type Grid struct {
	Title string
	Head  []string // machine names in CSV are the same in lower case
	Left  []bool
	Flex  int
	Drop  []string // heads of columns to do without, first to go first, where even cut names do not fit the terminal
	Rows  [][]Cell
	Below []string // as text, what to print under each row; "" for nothing
	Notes []string // below the table
	CSV   []string // the head of the columns in CSV when it is not Head in lower case
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
	if len(g.Rows) > 0 {
		var b strings.Builder
		if err := g.body(&b, o); err != nil {
			return err
		}
		if _, err := io.WriteString(w, g.interleave(b.String(), o)); err != nil {
			return err
		}
	}
	for _, n := range g.Notes {
		if o.Style == Markdown {
			n = markdown.Replace(n)
		}
		if _, err := fmt.Fprintln(w, wrap(n, indent(o.Style), o)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// interleave puts what belongs below each row there. As text a row is a line,
// and the first line is the head.
func (g *Grid) interleave(body string, o Options) string {
	if len(g.Below) == 0 || o.Style != Text {
		return body
	}
	var b strings.Builder
	for i, line := range strings.SplitAfter(body, "\n") {
		b.WriteString(line)
		if row := i - 1; row >= 0 && row < len(g.Below) && g.Below[row] != "" {
			b.WriteString(wrap(Sanitize(g.Below[row]), "      ", o) + "\n")
		}
	}
	return b.String()
}

func indent(s Style) string {
	if s == Markdown {
		return "\n"
	}
	return "  "
}

func (g *Grid) body(w io.Writer, o Options) error {
	align := make([]tw.Align, len(g.Head))
	for i := range align {
		align[i] = tw.AlignRight
		if g.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	var out tw.Renderer = renderer.NewBlueprint(plain)
	if o.Style == Markdown {
		out = renderer.NewMarkdown()
	}
	cell := tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: align}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}}
	measureAlike()
	t := tablewriter.NewTable(w, tablewriter.WithRenderer(out), tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithHeaderAutoFormat(tw.Off))
	t.Header(g.Head)
	fit := g.fit(o)
	for _, r := range g.Rows {
		line := make([]string, len(r))
		for i, c := range r {
			line[i] = Sanitize(c.Text)
			if fit != nil {
				line[i] = elide(line[i], fit[i])
			}
			if o.Style == Markdown {
				line[i] = markdown.Replace(line[i])
			}
		}
		if err := t.Append(line); err != nil {
			return err
		}
	}
	return t.Render()
}

// markdown keeps a name from acting as markup: <init> is no element and
// lambda$*$ no emphasis. A sign that stands apart from a word does nothing.
var markdown = strings.NewReplacer(`< `, `< `, `<`, `\<`, `|`, `\|`, `\`, `\\`, "`", "\\`", `*`, `\*`)

// plain is a table of columns apart by two spaces, without lines.
var plain = tw.Rendition{
	Borders: tw.BorderNone,
	Settings: tw.Settings{
		Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.Off},
		Lines:      tw.Lines{ShowHeaderLine: tw.Off, ShowTop: tw.Off, ShowBottom: tw.Off},
	},
}

// elide shortens a text to n columns. Of a stack the innermost frames matter
// most, and they come first; of a single name its end does.
func elide(s string, n int) string {
	switch {
	case columns(s) <= n:
		return s
	case strings.Contains(s, " "):
		return firstColumns(s, n-1) + "…"
	}
	return "…" + lastColumns(s, n-1)
}

func (g *Grid) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	head := g.CSV
	if head == nil {
		head = make([]string, len(g.Head))
		for i, h := range g.Head {
			head[i] = strings.ReplaceAll(strings.ToLower(h), " ", "_")
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range g.Rows {
		line := make([]string, len(r))
		for i, c := range r {
			line[i] = Sanitize(c.Raw)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
