// Package look is what all pages have in common: how they look, and how a page
// says which scripts may run in it.
package look

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed look.css
var sheet string

// Sheet is the style sheet that every page begins with.
func Sheet() template.CSS { return template.CSS(sheet) }

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
