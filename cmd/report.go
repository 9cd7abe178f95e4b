package cmd

import (
	"cmp"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"contend/blame/cube"
	"contend/blame/locks"
	"contend/blame/waits"
	"contend/decode"
	"contend/format"
	"contend/report/document"
	"contend/report/document/columns"
	"contend/report/page"
	"contend/report/table"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type reportOptions struct {
	trace traceOptions
	out   outputOptions
	own   expression
	diff  string

	limits cube.Limits
}

func newReport(e *env) *cobra.Command {
	var o reportOptions
	c := newCommand("report", func(*cobra.Command, []string) error { return runReport(e, &o) })
	o.trace.bind(c)
	c.Flags().StringVarP(&o.out.file, "output", "o", "", outputUsage)
	o.out.bindFormat(c, reportOutputs, "", "write `FORMAT`: ")
	o.own.bindApp(c)
	c.Flags().StringVar(&o.diff, "diff", "", "compare with the trace `BASE`")
	return c
}

var reportOutputs = outputs[*columns.Content]{
	{
		"html",
		[]string{".html", ".htm"},
		true,
		func(w io.Writer, c *columns.Content, _ table.Options) error { return page.HTML(w, c) },
	},
	{
		"data",
		[]string{".json"},
		false,
		func(w io.Writer, c *columns.Content, _ table.Options) error { return columns.Write(w, c) },
	},
}

func runReport(e *env, o *reportOptions) error {
	if o.out.format == "" {
		o.out.format = cmp.Or(reportOutputs.byEnding(filepath.Ext(o.out.file)), "html")
	}
	o.out.binary = o.out.format == "html"
	if err := o.out.check(); err != nil {
		return err
	}
	o.limits = pageLimits
	content, damage := o.content(e)
	if content == nil {
		return damage
	}
	return cmp.Or(write(e, &o.out, reportOutputs, content), damage)
}

// content reads the data of a page. If the trace is damaged it returns an errDamaged beside
// the full answer.
func (o *reportOptions) content(e *env) (c *columns.Content, damage error) {
	c, damage = o.trace.content(e, o.own.re, o.limits)
	if c == nil || o.diff == "" {
		return c, damage
	}
	base, baseDamage := o.trace.alone(o.diff).content(e, o.own.re, o.limits)
	if base == nil {
		return nil, baseDamage
	}
	base.Lanes = nil // the page shows those of the new recording
	c.Base = base
	d := diffOptions{
		trace:     o.trace,
		base:      []string{o.diff},
		new:       o.trace.paths,
		alpha:     defaultAlpha,
		minChange: defaultMinChange,
	}
	diff, diffDamage := d.compare(e)
	if diff == nil {
		return nil, diffDamage
	}
	c.Diff = diff
	return c, cmp.Or(damage, baseDamage, diffDamage)
}

// pageLimits bound a page, so that it can be mailed and opened: to less than 1 MB, of which cells take the most,
// some six bytes each.
var pageLimits = cube.Limits{Bins: 1200, Rows: 60_000, Cells: 80_000}

// pageLanes bound its lanes to some 130 KB.
var pageLanes = waits.LaneLimits{Spans: 6000, Cells: 15_000, Bins: 600, Threads: 2500}

// What a page lists at most.
const (
	pageLocks  = 1000 // with their percentiles; the cube has all that fit it
	pageWaits  = 100
	pagePhases = 200
	pageWhys   = 4
)

// onPage is the summary that a page holds.
func onPage(app *regexp.Regexp) summary {
	return summary{app: app, locks: pageLocks, phases: pagePhases, places: pageLocks}
}

// content analyses one side of a page.
func (o *traceOptions) content(e *env, app *regexp.Regexp, limits cube.Limits) (c *columns.Content, damage error) {
	table := cube.New(limits).App(app)
	longest := waits.NewLongest(pageWaits)
	lanes := waits.NewBoundedLanes(pageLanes)
	doc, about, res, err := o.summarize(
		e,
		onPage(app),
		cube.WithResources{Cube: table, Wanted: besideLocks},
		longest,
		lanes,
	)
	if err != nil {
		return nil, err
	}
	table.Finish()
	lanes.Finish()
	if len(o.paths) == 0 {
		o.paths = res.inputs // read the same files as before
	}
	c = &columns.Content{
		Title:   "contend: " + text.Sanitize(strings.Join(res.inputs, " ")),
		Command: append(o.selecting(), o.paths...),
		Analyze: doc,
		Cube:    table,
		Longest: longest.Waits(),
		Lanes:   lanes,
		Trace:   res.trace,
		Sites:   sitesOf(about.Locks),
		App:     app,
	}
	if of := longestOf(c, about); len(of) > 0 && !slices.Contains(o.paths, decode.Stdin) &&
		res.stats.Unit == format.UnitTime {
		if c.Whys, _, err = o.whys(e, app, of...); err != nil {
			return nil, err
		}
	}
	return c, res.verdict()
}

// besideLocks returns the place of a wait that is not for a lock; ok is false if the page
// does not show it.
func besideLocks(frames []format.Frame) (p cube.Place, ok bool) {
	what, site, loop := locks.Place(frames)
	return cube.Place{What: what, Site: site}, what != "" && !loop
}

// longestOf returns the longest wait for each of the locks that have the longest ones.
func longestOf(c *columns.Content, about *document.Overview) (list []*foundWait) {
	for _, w := range c.Longest {
		if len(list) < pageWhys &&
			!slices.ContainsFunc(list, func(f *foundWait) bool { return f.wait.Lock == w.Lock }) {
			list = append(list, newFoundWait(w, 1, c.Analyze, about, c.Trace.Symbols))
		}
	}
	return list
}

// sitesOf returns the places in the program by which locks are known, of rows for one lock or for
// many. Rows of classes have none.
func sitesOf(locks []locks.Lock) map[format.ObjectID]string {
	out := make(map[format.ObjectID]string, len(locks))
	for i := range locks {
		out[format.ObjectID(locks[i].ID)] = locks[i].Site
		for _, id := range locks[i].Of {
			out[format.ObjectID(id)] = locks[i].Site
		}
	}
	return out
}

// selecting returns the flags that selected, as they are written on a command
// line.
func (o *traceOptions) selecting() (flags []string) {
	for _, f := range [][2]string{
		{"--lock-rules", o.rules},
		{"--class", o.class.text},
		{"--lock", o.lock.text},
		{"--thread", o.thread.text},
		{"--from", o.from.text},
		{"--to", o.to.text},
	} {
		if f[1] != "" {
			flags = append(flags, f[0], f[1])
		}
	}
	if o.minWait > 0 {
		flags = append(flags, "--min-wait", o.minWait.String())
	}
	return flags
}
