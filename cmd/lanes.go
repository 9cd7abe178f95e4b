package cmd

import (
	"regexp"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/lanes"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// laneNames are what a picture by threads calls locks and places.
type laneNames struct {
	sym   *analysis.Symbols
	plain text.Plain
	of    map[format.ObjectID]string // the places by which locks are known
	sites *blame.Sites
}

func newLaneNames(r *result, about *document.Overview, plain text.Plain, app *regexp.Regexp) *laneNames {
	n := &laneNames{r.trace.Symbols, plain, sitesOf(about.Locks), blame.NewSites(app)}
	n.sites.Begin(n.sym)
	return n
}

func (n *laneNames) lock(id format.ObjectID) string {
	return strings.Join(n.plain.Lock(n.sym.LockName(id), n.sym.ClassName(id), n.of[id]), " ")
}

// site is where a thread waits, or where it took what it holds.
func (n *laneNames) site(s *lanes.Span) string {
	if s.What == lanes.Holds {
		return n.plain.Name(n.sites.Names().Name(n.sites.Owner(s.Stack, s.Lock)))
	}
	return n.plain.Name(n.sites.Names().Name(n.sites.Waiter(s.Stack)))
}
