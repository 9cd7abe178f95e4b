// Package timeline draws pressure over time as a picture: a band per lock,
// its phases shaded, with what caused them. It writes SVG, and HTML that
// needs neither network nor script.
package timeline

import (
	"embed"
	"html/template"
	"io"

	"contend/report/document"
	"contend/report/look"
)

//go:embed timeline.svg.tmpl timeline.html.tmpl
var files embed.FS

// html/template escapes what the trace gave for the place it stands in, in
// SVG as in HTML; control characters are gone before.
var templates = template.Must(template.New("").Funcs(look.Page{Style: style}.Funcs()).ParseFS(files, "*.tmpl"))

// style is what the page has besides the look of all pages.
const style = `.single h2, .single h3, .single p { margin-top: .8rem; }
.phase rect:hover { fill: #ffc680; }
summary { cursor: pointer; }
table { border-collapse: collapse; margin: .5rem 0 1rem 1rem; }
td { padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
td.n { text-align: right; white-space: nowrap; }
code { font-size: 12px; unicode-bidi: isolate; }`

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
