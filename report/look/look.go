// Package look is what all pages have in common: their style, their head, the libraries
// of others in lib, and the policy that says which scripts may run in a page.
package look

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed look.css
var sheet string

//go:embed lib
var lib embed.FS

//go:embed flamegraph.js arrows.js
var shared embed.FS

// FlameScripts name what draws a flame graph: a library, and how pages use it.
var FlameScripts = []string{"d3-flamegraph.iife.min.js", "flamegraph.js"}

// Library returns a script or a style sheet of others, or a script that several pages have;
// "" for none of that name.
func Library(name string) string {
	text, err := lib.ReadFile("lib/" + name)
	if err != nil {
		text, err = shared.ReadFile(name)
	}
	if err != nil {
		return ""
	}
	return string(text)
}

var head = template.Must(
	template.New("head").Parse(`<header class="top"><h1>contend</h1><p class="about" title="{{.}}">{{.}}</p></header>`),
)

// Head is what a single page begins with: what it is about.
func Head(about string) (template.HTML, error) {
	var b strings.Builder
	err := head.Execute(&b, about)
	return template.HTML(b.String()), err
}

// Sheet is the style sheet that every page begins with.
func Sheet() template.CSS { return template.CSS(sheet) }

// Page is a single page: what it has besides the look of all pages. Injected are
// styles that its scripts put into it.
type Page struct {
	Style    string
	Injected []string
	Scripts  []string
}

// Funcs are the functions of the page's templates: style is all of its style,
// policy its Content-Security-Policy, head what it begins with.
func (p Page) Funcs() template.FuncMap {
	style := sheet + p.Style
	policy := "default-src 'none'; style-src " + Hashes(append([]string{style}, p.Injected...)...)
	if len(p.Scripts) > 0 {
		policy += "; script-src " + Hashes(p.Scripts...)
	}
	return template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) },
		"policy": func() string { return policy },
		"head":   Head,
	}
}

// Hash names a text as a Content-Security-Policy does.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Hashes names texts, one behind the other.
func Hashes(texts ...string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = Hash(text)
	}
	return strings.Join(all, " ")
}
