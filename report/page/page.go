// Package page draws a trace as one page that needs nothing else: no server, no
// network, no build step. The page's own scripts and its style are in assets.
//
//	page.go     the page around the data
//	assets.go   scripts and style, and the policy that lets them alone run
//	data.go     the cube as columns
//	sites.go    the sites of stacks, and the frames that took locks
//	locks.go    what locks are called
//	longest.go  the longest waits
//	pauses.go   when the whole program was stopped
package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"regexp"

	"contend/analysis"
	"contend/blame/cube"
	"contend/blame/waits"
	"contend/format"
	"contend/report/document"
)

// Content is what a page shows.
type Content struct {
	Title   string
	Command []string // the traces, and the flags that select from them
	Analyze *document.Analyze
	Cube    *cube.Cube // finished
	Longest []*waits.Wait
	Trace   *analysis.Trace
	Sites   map[format.ObjectID]string // the places in the program by which locks are known
	App     *regexp.Regexp             // the program's own code; nil for what is no known library
	Base    *Content                   // the recording this one is compared with; nil for none
	Diff    *document.Diff             // from Base to this one
	Whys    []*document.Why            // the longest waits for the locks that are waited for most
}

// data converts a content to what the scripts read.
func (c *Content) data() *data {
	table, numbers := tableOf(c)
	d := &data{Schema: "contend.page/2", Command: c.Command, Analyze: c.Analyze, Cube: table, Diff: c.Diff, Whys: c.Whys}
	d.Longest = waitsOf(c.Longest, c.Trace.Symbols, numbers)
	numbers.nameLocks()
	d.Pauses = pausesOf(c.Trace.Pauses, c.Cube)
	if c.Base != nil {
		d.Base = c.Base.data()
	}
	return d
}

// Data writes what the page shows as JSON.
func Data(w io.Writer, c *Content) error { return json.NewEncoder(w).Encode(c.data()) }

//go:embed assets/page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the page with its data, packed, inside.
func HTML(w io.Writer, c *Content) error {
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
func pack(c *Content) (string, error) {
	var b bytes.Buffer
	letters := base64.NewEncoder(base64.StdEncoding, &b)
	zip, err := gzip.NewWriterLevel(letters, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := Data(zip, c); err != nil {
		return "", err
	}
	if err := cmp.Or(zip.Close(), letters.Close()); err != nil {
		return "", err
	}
	return b.String(), nil
}
