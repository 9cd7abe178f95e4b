package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// Analyze writes the overview: deadlocks first, then locks, the call chains that caused the waiting,
// phases of high pressure, and the coverage. The call chains are those of a table by owner's stack and class of lock.
func Analyze(w io.Writer, a *document.Analyze, stacks *document.Blame, o Options) error {
	if o.Style == CSV {
		return writeCSV(w, analyzeSections(a), o)
	}
	locks := lockGrid(a)
	grids := deadlockGrids(a.Deadlocks)
	if o.Style == Markdown && len(a.Findings) > 0 {
		grids = append(grids, findingGrid(a))
	}
	grids = append(grids, locks)
	if o.Style == Markdown && len(a.Locks) > 0 {
		grids = append(grids, ownerGrid(a), waitingGrid(a))
	} else if len(a.Locks) > 0 && !format.Unit(a.Coverage.Unit).Summed() { // such inputs have no owners
		grids = append(grids, blameGrid(stacks))
	}
	if len(a.Phases) > 0 {
		grids = append(grids, phaseGrid(a.Phases, a.Trace.StartNs, measureOf(a.Coverage)))
	}
	grids = append(grids, nonLockGrids(&a.NonLockWaits, measureOf(a.Coverage))...)
	tail := append(idleLine(&a.NonLockWaits, measureOf(a.Coverage)), coverageLines(a.Coverage)...)
	return report{[]string{heading(a)}, grids, tail}.write(w, o)
}

func heading(a *document.Analyze) string {
	when := time.Unix(0, a.Trace.StartNs).UTC().Format("2006-01-02 15:04:05 UTC")
	what := fmt.Sprintf("%s (%s)", strings.Join(a.Trace.Inputs, " "), a.Trace.Format)
	switch a.Coverage.Unit {
	case string(format.UnitThreads):
		if when += ", "; a.Trace.StartNs == 0 { // the dump has no time
			when = ""
		}
		what += fmt.Sprintf(": %s%s, %s seen running or blocked", when, threads(a), text.Number(a.Total.RunningNs))
	case string(format.UnitAcquisitions), string(format.UnitDelays):
		if !a.Coverage.Warned(format.CodeNoTimes) {
			what += fmt.Sprintf(": %s from %s", text.Duration(a.Trace.DurationNs), when)
		}
	default:
		what += fmt.Sprintf(
			": %s from %s, %s, running %s",
			text.Duration(a.Trace.DurationNs),
			when,
			threads(a),
			ranAs(a.Total.RunningNs, a.Coverage.Running),
		)
	}
	return what
}

// threads writes the number of threads and their kind.
func threads(a *document.Analyze) string {
	return text.Amount(int64(a.Trace.Threads), measureOf(a.Coverage).Thread)
}

func lockGrid(a *document.Analyze) *Grid {
	m := measureOf(a.Coverage)
	if format.Unit(a.Coverage.Unit).Summed() {
		return countGrid(a, m)
	}
	g := &Grid{
		Title: "locks by " + m.Waiting,
		Head: []string{
			m.Head,
			"SHARE",
			"WALL",
			"WAITS",
			"P50",
			"P99",
			"MAX",
			"CSP",
			"WAITERS",
			"KIND",
			"LOCK",
			"OWNERS KNOWN",
		},
		Left: left(12, 9, 10, 11),
		Drop: []string{"P50", "MAX", "WAITERS", "KIND", "WALL", "OWNERS KNOWN"},
	}
	any := false
	for _, l := range a.Locks {
		under := l.P99Ns > 0 && underThreshold(a.Coverage, l.Kind)
		any = any || under
		g.Rows = append(
			g.Rows,
			[]Cell{
				m.cell(l.WaitNs),
				Share(l.WaitNs, a.Total.WaitNs),
				m.wall(l.WallNs),
				m.waits(l.Waits),
				Length(l.P50Ns).marked(under),
				Length(l.P99Ns).marked(under),
				Length(
					l.MaxNs,
				),
				m.pressureCell(l.Uncertainty != nil, l.CSP, l.CSPPlusMinus),
				Count(int64(l.Waiters)),
				Name(l.Kind),
				m.lock(l.Lock),
				knownCell(l.Provenance),
			},
		)
	}
	g.addUncertainty(func(i int) *document.Uncertainty { return a.Locks[i].Uncertainty })
	if any {
		g.Notes = append(g.Notes, atMost)
	}
	g.Notes = append(g.Notes, lockTotals(a, m)...)
	return g
}

// countGrid is lockGrid for an input with counts and no times.
func countGrid(a *document.Analyze, m measure) *Grid {
	g := &Grid{
		Title: "locks by " + m.Waiting,
		Head:  []string{m.Head, "SHARE", "PER SECOND", "KIND", "CLASS", "LOCK", "CREATED AT"},
		Left:  left(7, 3, 4, 5, 6),
		Drop:  []string{"KIND"},
	}
	duration, created := a.Trace.DurationNs, false
	if a.Coverage.Warned(format.CodeNoTimes) {
		duration = 0
	}
	for _, l := range a.Locks {
		g.Rows = append(
			g.Rows,
			[]Cell{m.cell(l.WaitNs), Share(l.WaitNs, a.Total.WaitNs), rate(l.WaitNs, duration), Name(l.Kind),
				qualified(l.Class), m.lock(l.Lock), createdAt(l)},
		)
		created = created || len(l.Created) > 0
	}
	g.Notes = lockTotals(a, m)
	if !created {
		g.Notes = append(g.Notes, "'contend blame --by lock,waiter-stack' shows where threads wait for them")
	}
	return g
}

// lockTotals writes the total waiting, and the part of it on omitted locks.
func lockTotals(a *document.Analyze, m measure) (notes []string) {
	rest := a.Total.WaitNs
	for _, l := range a.Locks {
		rest -= l.WaitNs
	}
	notes = []string{m.Total(a.Total.Waiting)}
	if rest > 0 {
		notes = append(notes, m.Text(rest)+" on further locks not shown (--top 0 shows all)")
	}
	return notes
}

func createdAt(l document.Lock) Cell {
	if len(l.Created) == 0 {
		return none
	}
	return Name(text.Stack(l.Created, false))
}

func left(n int, columns ...int) []bool {
	out := make([]bool, n)
	for _, c := range columns {
		out[c] = true
	}
	return out
}

func deadlockGrids(list []document.Deadlock) (grids []*Grid) {
	for _, d := range list {
		g := &Grid{
			Title: fmt.Sprintf("DEADLOCK #%d: each thread waits for a lock the next one holds", d.Number),
			Head:  []string{"THREAD", "WAITS FOR", "AT", "HOLDS"},
			Left:  left(4, 0, 1, 2, 3),
			Under: []string{"AT", "HOLDS"},
		}
		if d.Found != "" {
			g.Title = "DEADLOCK: " + d.Found
		}
		for _, m := range d.Cycle {
			g.Rows = append(
				g.Rows,
				[]Cell{Name(m.Thread), qualified(m.Lock), Name(text.Stack(m.Stack, false)), heldCell(&m)},
			)
		}
		if len(d.Queued) > 0 {
			g.Notes = append(g.Notes, "queued behind it: "+strings.Join(d.Queued, ", "))
		}
		grids = append(grids, g)
	}
	return grids
}

// heldCell holds the lock that a thread of a deadlock holds, and its acquisition site.
func heldCell(m *document.Member) Cell {
	held := "holds " + text.Class(m.Holds)
	if m.Took != "" {
		held += ", taken at " + text.Method(m.Took)
	}
	return Cell{held, m.Holds}
}

// titles describe the two kinds of blame.
var titles = map[string]string{
	"direct": "owner of the lock waited for",
	"root":   "thread at the end of each chain of waits",
}

func blameGrid(b *document.Blame) *Grid {
	m := measureOf(b.Coverage)
	g := &Grid{
		Title: fmt.Sprintf(
			"who caused the waiting, by %s (%s blame: the %s; %s)",
			strings.Join(b.By, ", "),
			b.Metric,
			titles[b.Metric],
			m.What(),
		),
		Head: []string{"CAUSED", "SHARE", "WALL", "WAITS"},
		Drop: []string{"WALL", "WAITS", "KNOWN"},
	}
	for _, k := range b.By {
		g.Head = append(g.Head, strings.ToUpper(k))
	}
	g.Under = slices.Clone(g.Head[4:])
	g.Head = append(g.Head, "KNOWN")
	g.Left = make([]bool, len(g.Head))
	for i := 4; i < len(g.Head); i++ {
		g.Left[i] = true
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		row := []Cell{m.cell(r.ThreadNs), Share(r.ThreadNs, b.Total.WaitNs), m.wall(r.WallNs), m.waits(r.Waits)}
		for j, key := range r.Keys {
			row = append(row, keyCell(b, r, b.By[j], key))
		}
		g.Rows = append(g.Rows, append(row, knownCell(r.Provenance)))
	}
	distinguish(g, b)
	g.addUncertainty(func(i int) *document.Uncertainty { return b.Rows[i].Uncertainty })
	if rows, ns := b.Omitted(); rows > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s with %s (--top 0 shows all)", moreRows(rows), m.Text(ns)))
	}
	if note := text.InOther(b.Other, b.Coverage, "rows"); note != "" {
		g.Notes = append(g.Notes, note)
	}
	return g
}

// distinguish adds the method of the lock to stacks that look alike: an owner that waits for another
// lock may be in the same line as one that runs.
func distinguish(g *Grid, b *document.Blame) {
	line := func(row []Cell) string {
		parts := make([]string, len(b.By))
		for i := range parts {
			parts[i] = row[4+i].Text
		}
		return strings.Join(parts, "\x00")
	}
	alike := map[string]int{}
	for _, row := range g.Rows {
		alike[line(row)]++
	}
	for i, row := range g.Rows {
		if alike[line(row)] == 1 {
			continue
		}
		for j, by := range b.By {
			if stack := stackOf(b, &b.Rows[i], by); len(stack) > 0 {
				row[4+j].Text = text.Stack(stack, true)
			}
		}
	}
}

func keyCell(b *document.Blame, r *document.BlameRow, by, key string) Cell {
	if stack := stackOf(b, r, by); len(stack) > 0 {
		return Cell{text.Stack(stack, false), key}
	}
	return measureOf(b.Coverage).key(by, key)
}

// stackOf returns the stack of a key, nil for other keys.
func stackOf(b *document.Blame, r *document.BlameRow, by string) document.Stack {
	if keys := b.StackKeys(); len(keys) == 1 && by == keys[0] {
		return r.Stack
	}
	return r.Stacks[by]
}

// Blame writes a pivot.
func Blame(w io.Writer, b *document.Blame, o Options) error {
	g := blameGrid(b)
	if o.Style != CSV {
		g.Notes = append(g.Notes, measureOf(b.Coverage).Total(b.Total.Waiting))
	}
	return report{grids: []*Grid{g}, tail: coverageLines(b.Coverage)}.write(w, o)
}
