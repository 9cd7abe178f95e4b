package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed assets/*.js assets/*.css assets/lib/*.js assets/lib/*.css
var assets embed.FS

// scriptFiles are the scripts of a page in the order in which they run.
var scriptFiles = []string{
	"lib/htm-preact.standalone.umd.js", "lib/uPlot.iife.min.js", "lib/dagre.min.js", "lib/svg-pan-zoom.min.js",
	"util.js", "data.js", "filter.js", "sums.js", "command.js", "search.js", "parts.js", "headline.js", "locks.js", "time.js",
	"holders.js", "flame.js", "pivot.js", "who.js", "longest.js", "deadlocks.js", "compare.js", "about.js", "app.js",
}

// styleFiles are the style sheets, in order.
var styleFiles = []string{"lib/uPlot.min.css", "page.css"}

// read returns an asset; a name in the lists above always has one, which a
// test holds.
func read(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return ""
	}
	return string(text)
}

func scripts() (out []template.JS) {
	for _, name := range scriptFiles {
		out = append(out, template.JS(read(name)))
	}
	return out
}

func style() string {
	var b strings.Builder
	for _, name := range styleFiles {
		b.WriteString(read(name))
	}
	return b.String()
}

// policy is the Content-Security-Policy of a page: the scripts and the style
// above run, nothing else does, and nothing is fetched; a page that is served
// asks its own server for data.
func policy(served bool) string {
	var b strings.Builder
	b.WriteString("default-src 'none'; base-uri 'none'; form-action 'none'; script-src")
	for _, text := range scripts() {
		b.WriteString(" '" + hash(string(text)) + "'")
	}
	b.WriteString("; style-src '" + hash(style()) + "'")
	if served {
		b.WriteString("; connect-src 'self'")
	}
	return b.String()
}

// hash names a text as policies do.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
