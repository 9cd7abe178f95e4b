package cmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"contend/report/table"

	"github.com/spf13/cobra"
)

// outputOptions are the flags of every command that prints a table.
type outputOptions struct {
	format string
	top    int
}

// formats are what --format takes.
var formats = []string{"table", "markdown", "csv", "json"}

func (o *outputOptions) bind(c *cobra.Command, top int) {
	c.Flags().StringVar(&o.format, "format", "table", "print `FORMAT`: "+strings.Join(formats, ", "))
	c.Flags().IntVar(&o.top, "top", top, "show at most `N` rows; 0 shows all")
}

// suffixes choose the format when only a file is named.
var suffixes = map[string]string{
	".csv": "csv", ".md": "markdown", ".json": "json", ".txt": "table",
	".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid", ".svg": "svg", ".html": "html", ".htm": "html",
}

// bySuffix takes the format from the name of the file to write, unless the
// user said which.
func (o *outputOptions) bySuffix(c *cobra.Command, file string) {
	if c.Flags().Changed("format") {
		return
	}
	if f, ok := suffixes[strings.ToLower(filepath.Ext(file))]; ok {
		o.format = f
	}
}

// check refuses values no renderer knows. More formats are those of drawings.
func (o *outputOptions) check(more ...string) error {
	known := append(slices.Clone(formats), more...)
	if !slices.Contains(known, o.format) {
		return usageError{fmt.Errorf("--format: there is no format %q", o.format), "choose from " + strings.Join(known, ", ")}
	}
	if o.top < 0 {
		return usageError{fmt.Errorf("--top: cannot be negative"), "0 shows all"}
	}
	return nil
}

// style returns how tables are written; json tells that none is.
func (o *outputOptions) style(e *env) (t table.Options, json bool) {
	switch o.format {
	case "json":
		return t, true
	case "markdown":
		t.Style = table.Markdown
	case "csv":
		t.Style = table.CSV
	default:
		t.Width = width(e.out)
	}
	return t, false
}
