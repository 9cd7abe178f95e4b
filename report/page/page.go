// Package page draws a trace as one page that needs nothing else: no server, no
// network, no build step. The page's own scripts and its style are in assets.
//
//	page.go    the page around the data
//	assets.go  scripts and style, and the policy that lets them alone run
package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"contend/report/document/columns"
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
	return page.Execute(w, map[string]any{"Title": title, "Policy": policy(packed == ""), "Style": template.CSS(style()), "Scripts": scripts(), "Data": template.HTML(packed)})
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
