package table

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// scale is the unit of a comparison.
type scale struct {
	what  string // in a sentence
	unit  string // in a title
	of    string // after a number
	write func(float64) string
}

func scaleOf(d *document.Diff) scale {
	switch {
	case d.Base.Summed() || d.New.Summed():
		m := measureOf(d.Base.Traces[0].Coverage)
		return scale{"waiting", "waiting", "", func(ns float64) string { return m.Short(int64(ns)) }}
	case d.Base.Operations > 0:
		return scale{
			"waiting of each operation",
			"waiting of each operation",
			"",
			func(ns float64) string { return text.Duration(int64(ns)) },
		}
	}
	return scale{"waiting", "threads waiting on average", " threads", onAverage}
}

// changes are the rows of one table of a comparison.
type changes struct {
	kind, title string
	rows        []document.DiffRow
	more        document.DiffOmitted
}

// tablesOf returns the tables of a document; the first row of locks is their total.
func tablesOf(d *document.Diff, in scale) []changes {
	moreLocks, moreOwners, moreChains := d.Omitted()
	all := []changes{
		{
			"lock",
			"locks (" + in.unit + "; pressure: share of running time spent waiting)",
			append([]document.DiffRow{d.Total}, d.Locks...),
			moreLocks,
		},
		{"owner", "owners (" + in.unit + " for them, and as share of running time)", d.Owners, moreOwners},
		{"chain", "chains of waits (" + in.unit + ", and as share of running time)", d.Chains, moreChains},
	}
	return slices.DeleteFunc(all, func(c changes) bool { return d.Only() != "" && d.Only() != c.kind })
}

// Diff writes the verdict in one sentence, then the total, each lock, each owner's call chain, and
// each chain of waits. A tilde marks changes that may be noise. It omits tables that the document
// lacks.
func Diff(w io.Writer, d *document.Diff, o Options) error {
	in := scaleOf(d)
	if o.Style == CSV {
		return diffCSV(d, in).csv(w)
	}
	r := report{lead: []string{verdictOf(d, in), sides(d)}, tail: diffNotes(d)}
	for _, c := range tablesOf(d, in) {
		r.grids = append(r.grids, diffGrid(d, &c, in))
	}
	return r.write(w, o)
}

// verdictOf writes the change of all locks together, and of the lock that changed most.
func verdictOf(d *document.Diff, in scale) string {
	t := &d.Total
	from, to := in.write(t.Base.Waiting), in.write(t.New.Waiting)+in.of
	sure := relativeCell(t).Text
	if p := probabilityCell(t.P).Text; p[0] == '<' {
		sure += ", P < " + p[1:]
	} else {
		sure += ", P = " + p
	}
	if t.Status == "same" {
		return fmt.Sprintf("no change that is more than noise: %s went from %s to %s (%s)", in.what, from, to, sure)
	}
	verb := "rose"
	if t.New.Waiting < t.Base.Waiting {
		verb = "fell"
	}
	verdict := fmt.Sprintf("%s %s from %s to %s (%s)", in.what, verb, from, to, sure)
	if len(d.Locks) > 0 && d.Locks[0].Status != "same" {
		l := &d.Locks[0]
		verdict += fmt.Sprintf(
			"; most for %s: from %s to %s",
			nameCell("lock", l).Text,
			in.write(l.Base.Waiting),
			in.write(l.New.Waiting),
		)
	}
	return verdict
}

// sides writes the inputs of both sides.
func sides(d *document.Diff) string {
	names := func(s *document.Side) string {
		all := strings.Join(inputsOf(s.Traces), ", ")
		switch {
		case s.Summed():
			return all
		case counts(s):
			return fmt.Sprintf("%s (%s threads running or blocked)", all, text.Number(s.RunningNs))
		case s.Operations > 0:
			return fmt.Sprintf("%s (%s operations in %s)", all, text.Number(s.Operations), text.Duration(s.ElapsedNs))
		}
		return fmt.Sprintf("%s (%s)", all, text.Duration(s.ElapsedNs))
	}
	return "from " + names(&d.Base) + " to " + names(&d.New)
}

// counts reports whether a side only counts threads or acquisitions.
func counts(s *document.Side) bool {
	return slices.ContainsFunc(s.Traces, func(t document.SideTrace) bool { return measureOf(t.Coverage).Counts() })
}

func diffGrid(d *document.Diff, c *changes, in scale) *Grid {
	share := "CSP"
	title := c.title
	name := strings.ToUpper(c.kind)
	if d.Base.Summed() { // a sum has no running time: it is a share of all waiting
		share, title = "SHARE", c.kind+"s (waiting, and its share of all)"
	}
	g := &Grid{
		Title: title,
		Head:  []string{"BASE", "NEW", "CHANGE", "%", "P", share, name},
		Left:  left(7, 6),
		Under: []string{name},
		Drop:  []string{"P", share, "%"},
	}
	for i := range c.rows {
		r := &c.rows[i]
		g.Rows = append(
			g.Rows,
			[]Cell{
				waitingCell(r.Base, in),
				waitingCell(r.New, in),
				changeCell(r, in),
				relativeCell(r),
				probabilityCell(r.P),
				{percent(r.Base.Share) + " to " + percent(r.New.Share), ""},
				nameCell(c.kind, r),
			},
		)
	}
	if c.more.Rows > 0 {
		g.Notes = append(
			g.Notes,
			fmt.Sprintf("%s, %d of them changed (--top 0 shows all)", moreRows(c.more.Rows), c.more.Changed),
		)
	}
	if len(c.rows) == 0 {
		g.Notes = append(g.Notes, "none")
	}
	return g
}

// nameCell shortens a name for people: without packages, and with one site of a lock.
func nameCell(kind string, r *document.DiffRow) Cell {
	switch kind {
	case "owner":
		return siteCell(r.Name)
	case "chain":
		parts := strings.Split(r.Name, " -> ")
		for i, p := range parts {
			switch { // after the waiters, which have no package, come a class and a method in turn
			case i%2 == 1:
				parts[i] = text.Class(p)
			case i > 0:
				parts[i] = text.Method(p)
			}
		}
		return Cell{strings.Join(parts, " -> "), r.Name}
	}
	class, sites, placed := strings.Cut(r.Name, " at ")
	if !placed {
		return Name(r.Name)
	}
	all := strings.Split(sites, ", ")
	shown := text.Class(class) + " at " + text.Method(cmp.Or(r.Site, all[0]))
	if r.Site == "" && len(all) > 1 {
		shown += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return Cell{shown, r.Name}
}

// waitingCell writes the average number of waiting threads, or the waiting of each operation, with
// its interval.
func waitingCell(r document.Rate, in scale) Cell {
	return withInterval(r.Waiting, r.WaitingPlusMinus, in.write)
}

// onAverage writes a number of threads with enough digits to distinguish it from 0.
func onAverage(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.0995:
		return fmt.Sprintf("%.2g", v)
	case v < 99.5:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// plusMinus writes a share with its interval: 5.2 % ± 0.3 %.
func plusMinus(share float64, half *float64) Cell { return withInterval(share, half, percent) }

// withInterval writes a value with its interval, which may not be known.
func withInterval(v float64, half *float64, write func(float64) string) Cell {
	raw := strconv.FormatFloat(v, 'f', 6, 64)
	switch {
	case half == nil:
		return Cell{write(v) + " ± ?", raw}
	case v == 0 && *half == 0:
		return Cell{"-", raw}
	}
	return Cell{write(v) + " ± " + write(*half), raw}
}

// percent writes a share with enough digits to distinguish it from 0.
func percent(v float64) string {
	switch p := 100 * v; {
	case p == 0:
		return "0 %"
	case p < 0.0995:
		return fmt.Sprintf("%.2g %%", p)
	case p < 0.995:
		return fmt.Sprintf("%.2f %%", p)
	default:
		return fmt.Sprintf("%.1f %%", p)
	}
}

// changeCell writes the change of a row, or that the row is new or gone.
func changeCell(r *document.DiffRow, in scale) Cell {
	change, sign := r.New.Waiting-r.Base.Waiting, "+"
	switch {
	case r.Status == "same":
		return Cell{"~", r.Status}
	case r.Status == "unsure":
		return Cell{"?", r.Status}
	case r.Status != "changed":
		return Cell{r.Status, r.Status}
	case change < 0:
		sign = "-"
	}
	return Cell{sign + in.write(math.Abs(change)), r.Status}
}

// relativeCell writes the change over the base.
func relativeCell(r *document.DiffRow) Cell {
	switch {
	case r.Relative == nil:
		return none
	case *r.Relative >= 9.995:
		return Cell{fmt.Sprintf("× %.1f", 1+*r.Relative), ""}
	}
	return Cell{fmt.Sprintf("%+.0f %%", 100**r.Relative), ""}
}

func probabilityCell(p float64) Cell {
	raw := strconv.FormatFloat(p, 'g', 4, 64)
	if p < 0.0005 {
		return Cell{"<0.001", raw}
	}
	return Cell{fmt.Sprintf("%.3f", p), raw}
}

// diffCSV returns all tables as one, with all of their numbers.
func diffCSV(d *document.Diff, in scale) *Grid {
	g := &Grid{
		Head: []string{
			"KIND",
			"STATUS",
			"BASE_NS",
			"BASE_SHARE",
			"BASE_PLUS_MINUS",
			"NEW_NS",
			"NEW_SHARE",
			"NEW_PLUS_MINUS",
			"P",
			"NAME",
			"BASE_WAITING",
			"NEW_WAITING",
		},
	}
	half := func(r document.Rate) Cell {
		if r.PlusMinus == nil {
			return Cell{}
		}
		return Percent(*r.PlusMinus)
	}
	for _, t := range tablesOf(d, in) {
		for i := range t.rows {
			r, kind := &t.rows[i], t.kind
			if kind == "lock" && i == 0 {
				kind = "total"
			}
			g.Rows = append(g.Rows, []Cell{
				Name(kind),
				Name(r.Status),
				Time(r.Base.WaitNs),
				Percent(r.Base.Share),
				half(r.Base),
				Time(r.New.WaitNs),
				Percent(r.New.Share),
				half(r.New),
				probabilityCell(r.P),
				Name(r.Name),
				waitingCell(r.Base, in),
				waitingCell(r.New, in),
			})
		}
	}
	return g
}

// diffNotes writes the certainty of the tables, and the warnings of the traces.
func diffNotes(d *document.Diff) []string {
	interval := fmt.Sprintf(
		"± is a 95 %% interval, from a bootstrap over blocks of %s (base) and %s (new)",
		blocks(d.Base.BlockNs),
		blocks(d.New.BlockNs),
	)
	if counts(&d.Base) || counts(&d.New) {
		interval = "± ?: counts of threads at one instant give no interval, and any change may be noise"
	}
	lines := []string{
		fmt.Sprintf(
			"~ may be noise, or is shown again in finer rows: "+
				"each table shows a false change with a chance of at most %g %%",
			100*d.Alpha,
		),
		interval,
	}
	unsure := func(r document.DiffRow) bool { return r.Status == "unsure" }
	if slices.ContainsFunc(slices.Concat(d.Owners, d.Chains), unsure) {
		lines = append(lines, "? is not compared: "+
			"most of these owners are inferred and expected to be wrong, or unknown")
	}
	for _, note := range notesOf(slices.Concat(d.Base.Traces, d.New.Traces)) {
		if !slices.Contains(lines, note) {
			lines = append(lines, note)
		}
	}
	return lines
}

// blocks writes a range of block lengths.
func blocks(ns [2]int64) string {
	if ns[0] == ns[1] {
		return text.Duration(ns[0])
	}
	return text.Duration(ns[0]) + " to " + text.Duration(ns[1])
}
