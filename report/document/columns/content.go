// Package columns makes of a cube, and of what commands print beside it, the one document
// that the page's scripts read: tables as columns, so that they pack well.
//
//	content.go  what a page shows
//	data.go     the cube as columns
//	sites.go    the sites of stacks, and the frames that took locks
//	locks.go    what locks are called
//	longest.go  the longest waits
//	pauses.go   when the whole program was stopped
package columns

import (
	"encoding/json"
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

// Write writes what the page shows as JSON.
func Write(w io.Writer, c *Content) error { return json.NewEncoder(w).Encode(c.data()) }
