package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/analysis"
	"contend/report/document"
	"contend/report/text"
)

// section is one of the tables of an answer, with its name in CSV.
type section struct {
	name string
	grid *Grid
}

// Sections are the names of the tables that `contend analyze` writes as CSV.
var Sections = []string{"findings", "deadlocks", "locks", "owners", "waiting", "phases"}

// analyzeSections are the tables of an overview, in the order of Sections.
func analyzeSections(a *document.Analyze) []section {
	grids := []*Grid{
		findingGrid(a),
		deadlockGrid(a),
		lockGrid(a),
		ownerGrid(a),
		waitingGrid(a),
		phaseGrid(a.Phases, a.Trace.StartNs, measureOf(a.Coverage)),
	}
	out := make([]section, len(grids))
	for i, g := range grids {
		out[i] = section{Sections[i], g}
	}
	return out
}

// writeCSV writes one section, or all as one table. Its first column is then the section of a row,
// and its other columns are those of all sections.
func writeCSV(w io.Writer, all []section, o Options) error {
	if i := slices.IndexFunc(all, func(s section) bool { return s.name == o.Section }); i >= 0 {
		return all[i].grid.csv(w)
	}
	joined := &Grid{CSV: []string{"section"}}
	for _, s := range all {
		for _, h := range s.grid.machineHead() {
			if !slices.Contains(joined.CSV, h) {
				joined.CSV = append(joined.CSV, h)
			}
		}
	}
	for _, s := range all {
		head := s.grid.machineHead()
		for r := range s.grid.rows() {
			line := make([]Cell, len(joined.CSV))
			line[0].Raw = s.name
			for i, c := range r {
				line[slices.Index(joined.CSV, head[i])] = c
			}
			joined.Rows = append(joined.Rows, line)
		}
	}
	return joined.csv(w)
}

func findingGrid(a *document.Analyze) *Grid {
	m := measureOf(a.Coverage)
	g := &Grid{
		Title: "findings",
		Head: []string{
			"CAUSED",
			"SHARE",
			"FINDING",
			"LOCK",
			"OWNER",
			"ROOT",
			"TRAPPED",
			"DEADLOCK",
			"CONFIDENCE",
			"KNOWN",
			"REMEDY",
		},
		Left: left(11, 2, 3, 4, 5, 8, 9, 10),
		Drop: []string{"KNOWN", "TRAPPED", "DEADLOCK", "ROOT"},
	}
	for _, f := range a.Findings {
		g.Rows = append(
			g.Rows,
			[]Cell{
				m.cell(f.WaitNs),
				Percent(f.Share),
				{f.Title, f.Kind.String()},
				m.lock(f.Lock),
				siteCell(f.Owner),
				m.lock(f.Root),
				unlessZero(
					f.Threads,
				),
				unlessZero(f.Deadlock),
				Name(string(f.Confidence)),
				knownCell(f.Provenance),
				Name(f.Remedy),
			},
		)
	}
	return g
}

// unlessZero is a cell that holds a count, and is empty for 0.
func unlessZero(n int) Cell {
	if n == 0 {
		return Cell{}
	}
	return Count(int64(n))
}

// deadlockGrid returns all deadlocks as one table, with a row for each thread, and for each thread
// that is blocked behind one.
func deadlockGrid(a *document.Analyze) *Grid {
	g := &Grid{
		Title: "deadlocks",
		Head:  []string{"DEADLOCK", "THREAD", "LOCK", "CLASS", "SITE", "HOLDS", "TOOK"},
		Left:  left(7, 1, 2, 3, 4, 5, 6),
	}
	for _, d := range a.Deadlocks {
		number := Count(int64(d.Number))
		if d.Found != "" {
			g.Rows = append(g.Rows, []Cell{number, Name(d.Found), {}, {}, {}, {}, {}})
		}
		for _, m := range d.Cycle {
			g.Rows = append(
				g.Rows,
				[]Cell{
					number,
					Name(m.Thread),
					Name(m.Lock),
					qualified(m.Class),
					Cell{text.Stack(m.Stack, false), analysis.StackText(m.Stack.Frames())},
					qualified(m.Holds),
					siteCell(m.Took),
				},
			)
		}
		for _, thread := range d.Queued {
			g.Rows = append(g.Rows, []Cell{number, Name(thread), {}, {}, {}, {}, {}})
		}
	}
	return g
}

func ownerGrid(a *document.Analyze) *Grid {
	m := measureOf(a.Coverage)
	g := &Grid{
		Title: "owners: where they acquired the lock, their callers, and what they did while others waited",
		Head:  []string{"CAUSED", "SHARE", "LOCK", "SITE", "CALLERS", "DOING", "KNOWN"},
		Left:  left(7, 2, 3, 4, 5, 6),
		Drop:  []string{"KNOWN", "DOING"},
	}
	for _, l := range a.Locks {
		for _, o := range l.Owners {
			g.Rows = append(
				g.Rows,
				[]Cell{
					m.cell(o.WaitNs),
					Share(o.WaitNs, a.Total.WaitNs),
					m.lock(l.Lock),
					{text.OwnerAt(text.Method(o.Site), o.In), o.Site},
					callersCell(o),
					Name(doingText(o)),
					knownCell(o.Provenance),
				},
			)
		}
	}
	return g
}

func waitingGrid(a *document.Analyze) *Grid {
	m := measureOf(a.Coverage)
	g := &Grid{
		Title: "where the others wait",
		Head:  []string{m.Head, "SHARE", "WAITS", "LOCK", "SITE"},
		Left:  left(5, 3, 4),
	}
	for _, l := range a.Locks {
		for _, s := range l.Waiting {
			g.Rows = append(
				g.Rows,
				[]Cell{
					m.cell(s.WaitNs),
					Share(s.WaitNs, a.Total.WaitNs),
					m.waits(s.Waits),
					m.lock(l.Lock),
					siteCell(s.Site),
				},
			)
		}
	}
	return g
}

// callersCell holds the callers with most of the waiting.
func callersCell(o document.Owner) Cell {
	if len(o.Callers) == 0 {
		return Cell{}
	}
	all := strings.Join(o.Callers[0].Sites, " < ")
	return Cell{text.Chain(all), all}
}

// doingText lists the activities of an owner, each with its share of the waiting.
func doingText(o document.Owner) string {
	var parts []string
	for _, d := range o.Doing {
		what := d.What
		if d.Class != "" {
			what += " on " + d.Class
		}
		parts = append(parts, Share(d.WaitNs, o.WaitNs).Text+" "+what)
	}
	return strings.Join(parts, ", ")
}

// nonLockGrids returns the tables of resources and of idle threads, if any.
func nonLockGrids(b *document.NonLockWaits, m measure) (grids []*Grid) {
	omitted, omittedIdle := b.Omitted()
	if len(b.Resources) > 0 {
		g := resourceGrid("resources: "+resourceTitle(m), b.Resources, omitted, m)
		g.Notes = append(g.Notes, sumOf("total: ", b.ResourceTotal, m))
		grids = append(grids, g)
	}
	if len(b.Idle) > 0 {
		g := resourceGrid("idle: waits of "+m.Thread+"s with nothing to do", b.Idle, omittedIdle, m)
		g.Notes = append(g.Notes, sumOf("total: ", b.IdleTotal, m))
		grids = append(grids, g)
	}
	return grids
}

func resourceTitle(m measure) string {
	if m.Counts() {
		return m.Thread + "s blocked on pools, queues and results, which are not locks"
	}
	return "waits for pools, queues and results, which are not locks and not part of the pressure"
}

func resourceGrid(title string, rows []document.Resource, more int, m measure) *Grid {
	g := &Grid{
		Title: title,
		Head:  []string{m.Head, "WAITS", "MAX", strings.ToUpper(m.Thread) + "S", "FOR", "AT"},
		Left:  left(6, 4, 5),
		Drop:  []string{"MAX", "WAITS"},
	}
	if m.Counts() {
		g.Head[3] = "DISTINCT"
	}
	loops := false
	for _, r := range rows {
		at := siteCell(r.Site)
		if r.Site == "" {
			at = none
		}
		if r.Loop {
			at.Text, loops = at.Text+" *", true
		}
		g.Rows = append(
			g.Rows,
			[]Cell{m.cell(r.WaitNs), Count(r.Waits), Length(r.MaxNs), Count(int64(r.Waiters)), siteCell(r.What), at},
		)
	}
	if more > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s (--top 0 shows all)", moreRows(more)))
	}
	if loops {
		g.Notes = append(
			g.Notes,
			"* is the outermost method of its "+m.Thread+"s: they may wait for work and have nothing to do; a rule "+
				"can say so (contend rules)",
		)
	}
	return g
}

// idleLine returns the total of idle threads that are not listed, if any.
func idleLine(b *document.NonLockWaits, m measure) []string {
	if b.IdleTotal.Waiters == 0 || len(b.Idle) > 0 {
		return nil
	}
	return []string{sumOf("idle: ", b.IdleTotal, m) + " (--idle lists it)"}
}

// sumOf writes a sum after its subject.
func sumOf(what string, a document.NonLockWait, m measure) string {
	if m.Counts() {
		return what + m.Text(a.WaitNs)
	}
	return fmt.Sprintf(
		"%s%s in %s of %s",
		what,
		text.Duration(a.WaitNs),
		text.Amount(a.Waits, "wait"),
		text.Amount(int64(a.Waiters), m.Thread),
	)
}
