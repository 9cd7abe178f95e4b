package page

import (
	"embed"
	"html/template"

	"contend/report/look"
)

//go:embed assets/*.js assets/*.css
var assets embed.FS

// scriptFiles are the scripts of a page in the order in which they run.
var scriptFiles = []string{
	"htm-preact.standalone.umd.js", "uPlot.iife.min.js", "dagre.min.js", "svg-pan-zoom.min.js",
	"util.js", "data.js", "columns.js", "filter.js", "sums.js", "trees.js", "command.js", "search.js", "parts.js", "headline.js", "locks.js", "time.js",
	"holders.js", "flame.js", "pivot.js", "who.js", "longest.js", "why.js", "deadlocks.js", "compare.js", "about.js", "app.js",
}

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
	p := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + look.Hashes(texts...) + "; style-src " + look.Hash(style())
	if served {
		p += "; connect-src 'self'"
	}
	return p
}
