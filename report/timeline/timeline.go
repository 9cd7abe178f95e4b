// Package timeline draws pressure over time as a picture: a band per lock,
// its phases shaded, with what caused them. It writes SVG, and HTML that
// needs neither network nor script.
package timeline

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"contend/report/document"
	"contend/report/table"
)

//go:embed timeline.svg.tmpl timeline.html.tmpl
var files embed.FS

// html/template escapes what the trace gave for the place it stands in, in
// SVG as in HTML; control characters are gone before (see text).
var templates = template.Must(template.New("").ParseFS(files, "*.tmpl"))

// SVG writes the timeline as a picture; top limits the locks, 0 means all.
func SVG(w io.Writer, d *document.CSP, top int) error {
	if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
		return err
	}
	return templates.ExecuteTemplate(w, "timeline.svg.tmpl", newPicture(d, top))
}

// HTML writes a page with the picture and, for each phase, all its causes.
func HTML(w io.Writer, d *document.CSP, top int) error {
	return templates.ExecuteTemplate(w, "timeline.html.tmpl", newPicture(d, top))
}

// text makes a name from a trace safe to show: no controls, no characters
// that reorder it.
func text(s string) string { return table.Sanitize(strings.ToValidUTF8(s, "\uFFFD")) }

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
