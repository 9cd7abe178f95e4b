// Package page draws a trace as one page that needs nothing else: no server, no
// network, no build step. The page's own scripts and its style are in assets.
package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"

	"contend/report/document/columns"
	"contend/report/look"
)

//go:embed assets/page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the page with its data, packed, inside.
func HTML(w io.Writer, c *columns.Content) error {
	packed, err := pack(c)
	if err != nil {
		return err
	}
	return Frame(w, c.Title, packed)
}

// Frame writes the page around its data; without any it asks the server it
// comes from.
func Frame(w io.Writer, title, packed string) error {
	return page.Execute(
		w,
		map[string]any{
			"Title":   title,
			"Policy":  policy(packed == ""),
			"Style":   template.CSS(style()),
			"Scripts": scripts(),
			"Data":    template.HTML(packed),
		},
	)
}

// pack returns the data compressed, in letters that end no element.
func pack(c *columns.Content) (string, error) {
	var b bytes.Buffer
	letters := base64.NewEncoder(base64.StdEncoding, &b)
	zip, err := gzip.NewWriterLevel(letters, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := columns.Write(zip, c); err != nil {
		return "", err
	}
	if err := cmp.Or(zip.Close(), letters.Close()); err != nil {
		return "", err
	}
	return b.String(), nil
}

//go:embed assets/*.js assets/*.css
var assets embed.FS

// scriptFiles are the scripts of a page in the order in which they run.
var scriptFiles = slices.Concat(
	[]string{"htm-preact.standalone.umd.js", "uPlot.iife.min.js", "dagre.min.js", "svg-pan-zoom.min.js"},
	look.FlameScripts,
	[]string{
		"arrows.js", "util.js", "data.js", "lanes.js", "columns.js", "filter.js", "sums.js", "trees.js", "command.js",
		"search.js", "parts.js", "headline.js", "locks.js", "time.js", "threads.js", "holders.js", "flame.js",
		"pivot.js", "who.js", "longest.js", "why.js", "deadlocks.js", "dumps.js", "compare.js", "about.js", "app.js",
	},
)

// styleFiles are the style sheets, in order.
var styleFiles = []string{"uPlot.min.css", "page.css"}

// read returns an asset of the page, or a library that other pages use, too; a name in the
// lists above always has one, which a test holds.
func read(name string) string {
	if text, err := assets.ReadFile("assets/" + name); err == nil {
		return string(text)
	}
	return look.Library(name)
}

func scripts() (out []template.JS) {
	for _, name := range scriptFiles {
		out = append(out, template.JS(read(name)))
	}
	return out
}

func style() string {
	text := string(look.Sheet())
	for _, name := range styleFiles {
		text += read(name)
	}
	return text
}

// policy is the Content-Security-Policy of a page: the scripts and the style
// above run, nothing else does, and nothing is fetched; a page that is served
// asks its own server for data.
func policy(served bool) string {
	var texts []string
	for _, text := range scripts() {
		texts = append(texts, string(text))
	}
	p := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + look.Hashes(
		texts...) + "; style-src " + look.Hash(
		style(),
	)
	if served {
		p += "; connect-src 'self'"
	}
	return p
}
