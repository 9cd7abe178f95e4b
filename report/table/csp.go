package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// CSP writes pressure per interval and lock, then the phases of high
// pressure; Options.Top limits the locks of an interval and the phases.
func CSP(w io.Writer, d *document.CSP, o Options) error {
	if o.Chart {
		return drawChart(w, d, o)
	}
	grids := []*Grid{intervalGrid(d, o.Top)}
	if o.Style != CSV && !measureOf(d.Coverage).Counts() {
		grids = append(grids, phaseGrid(slices.Collect(d.EachPhase(o.Top)), d.OriginNs(), measureOf(d.Coverage)))
	}
	if len(d.Metrics) > 0 {
		grids = append(grids, metricGrid(d.Metrics, measureOf(d.Coverage)))
	}
	if o.Style == CSV && len(d.Metrics) > 0 {
		grids = grids[1:]
	}
	return report{grids: grids, tail: coverageLines(d.Coverage)}.write(w, o)
}

func intervalGrid(d *document.CSP, top int) *Grid {
	m := measureOf(d.Coverage)
	g := &Grid{
		Title: fmt.Sprintf(
			"critical section pressure per %s: time spent acquiring the lock / running time of all %ss",
			text.Duration(d.IntervalNs),
			m.Thread,
		),
		Head: []string{"FROM", "TO", "RUNNING", m.Head, "CSP", "LOCK"},
		Left: left(6, 5),
	}
	g.Made = func(yield func([]Cell) bool) {
		for iv := range d.Each() {
			for _, row := range intervalRows(&iv, m, d.Sampled, d.OriginNs(), top) {
				if !yield(row) {
					return
				}
			}
		}
	}
	if d.Sampled {
		g.Notes = append(
			g.Notes,
			"± is a 95 % interval, from a bootstrap over blocks of each interval's samples; ? marks too few of them",
		)
	}
	if m.Counts() {
		g.Notes = append(
			g.Notes,
			fmt.Sprintf("total: %s, of %s running or blocked", m.Text(d.Total.WaitNs), text.Number(d.Total.RunningNs)),
		)
	} else {
		g.Notes = append(g.Notes, totalPressure(d))
	}
	return g
}

// totalPressure writes the waiting, the running time and the pressure of all locks.
func totalPressure(d *document.CSP) string {
	return fmt.Sprintf(
		"total: %s of waiting in %s of running time%s",
		text.Duration(d.Total.WaitNs),
		ranAs(d.Total.RunningNs, d.Coverage.Running),
		wholePressure(d),
	)
}

// wholePressure writes the pressure of all locks, with its range if that is wide.
func wholePressure(d *document.CSP) string {
	if d.Total.RunningNs <= 0 {
		return ""
	}
	out := ": " + Share(d.Total.WaitNs, d.Total.RunningNs).Text
	if p := d.Coverage.Pressure; p != nil {
		out += fmt.Sprintf(", between %s and %s", Percent(p.Low).Text, Percent(p.High).Text)
	}
	return out
}

// intervalRows returns a row for each lock, and one for the locks behind the limit.
func intervalRows(iv *document.Interval, m measure, sampled bool, start int64, top int) (rows [][]Cell) {
	locks, rest := iv.Locks, int64(0)
	if top > 0 && len(locks) > top {
		for _, l := range locks[top:] {
			rest += l.WaitNs
		}
		locks = locks[:top]
	}
	from := offset(iv.StartNs - start)
	to := offset(iv.EndNs - start)
	ran := m.cell(iv.RunningNs)
	if len(locks) == 0 {
		rows = append(rows, []Cell{from, to, ran, m.cell(0), Percent(0), none})
	}
	for _, l := range locks {
		rows = append(
			rows,
			[]Cell{from, to, ran, m.cell(l.WaitNs), m.pressureCell(sampled, l.CSP, l.PlusMinus), m.lock(l.Lock)},
		)
	}
	if rest > 0 {
		rows = append(rows, []Cell{from, to, ran, m.cell(rest),
			m.pressureCell(false, float64(rest)/float64(max(iv.RunningNs, 1)), nil),
			{fmt.Sprintf("(%d more)", len(iv.Locks)-len(locks)), "(more)"}})
	}
	return rows
}

// pressureCell writes a pressure: as a range where the running time of threads is one, or with its
// interval where it is an estimate.
func (m measure) pressureCell(estimate bool, v float64, half *float64) Cell {
	if r := m.coverage.PressureRange(v, half); r != nil {
		return Cell{ratioRange(r), Percent(v).Raw}
	}
	if !estimate {
		return Percent(v)
	}
	return plusMinus(v, half)
}

// offset is a cell that holds a time since the start of the trace.
func offset(ns int64) Cell {
	return Cell{text.Seconds(ns), fmt.Sprint(ns)}
}

func phaseGrid(phases []document.Phase, start int64, m measure) *Grid {
	g := &Grid{
		Title: "phases of high pressure, with the main cause of the waiting in each",
		Head:  []string{"FROM", "TO", "WAIT", "CSP", "LOCK", "CAUSE"},
		Left:  left(6, 4, 5),
		Under: []string{"LOCK", "CAUSE"},
		Drop:  []string{"WAIT"},
	}
	for i := range phases {
		p, cause := &phases[i], none
		if len(p.Causes) > 0 {
			c := p.Causes[0]
			cause = Cell{fmt.Sprintf("%.0f %% %s", 100*float64(c.WaitNs)/float64(p.WaitNs), text.Cause(&c)), c.Owner}
		}
		g.Below = append(g.Below, turnsText(p.Segments, start))
		g.Rows = append(
			g.Rows,
			[]Cell{
				offset(p.StartNs - start),
				offset(p.EndNs - start),
				Time(p.WaitNs),
				m.pressureCell(p.PlusMinus != nil, p.CSP, p.PlusMinus),
				m.locksOf(p),
				cause,
			},
		)
	}
	if len(phases) == 0 {
		g.Notes = append(g.Notes, "none")
	}
	return g
}

// locksOf is a cell that holds the lock of a phase, or the class and the site of several.
func (m measure) locksOf(p *document.Phase) Cell {
	if p.Locks <= 1 {
		return m.lock(p.Lock)
	}
	name := strings.Join(text.Plain{}.Lock(p.Class, p.Class, p.Site), " ")
	return Cell{fmt.Sprintf("%s (%d locks)", name, p.Locks), p.Class}
}

// turnsText lists the main causes of a phase, one after the other, where the cause changed.
func turnsText(turns []document.Segment, start int64) string {
	var parts []string
	for _, t := range turns {
		parts = append(
			parts,
			fmt.Sprintf(
				"from %s: %.0f %% %s",
				text.Seconds(t.StartNs-start),
				100*float64(t.Cause.WaitNs)/float64(max(t.WaitNs, 1)),
				text.Cause(&t.Cause),
			),
		)
	}
	return strings.Join(parts, "; ")
}

func metricGrid(list []document.Metric, by measure) *Grid {
	g := &Grid{
		Title: "critical section pressure beside the older metrics, over the whole recording",
		Head:  []string{"CSP", "FAILED/S", "FAILED/ACQUIRED", "INSIDE/ELAPSED", "INSIDE/ALL", "WAIT/ELAPSED", "LOCK"},
		Left:  left(7, 6),
		Drop:  []string{"WAIT/ELAPSED", "INSIDE/ALL", "INSIDE/ELAPSED", "FAILED/ACQUIRED"},
	}
	for _, m := range list {
		g.Rows = append(
			g.Rows,
			[]Cell{Percent(m.CSP), {fmt.Sprintf("%.1f", m.FailedPerSecond), fmt.Sprintf("%.6f", m.FailedPerSecond)},
				optional(
					m.FailedPerAcquired,
				), optional(m.InsidePerElapsed), optional(m.InsidePerAll), Percent(m.WaitPerElapsed), by.lock(m.Lock)},
		)
	}
	if len(list) > 0 && list[0].FailedPerAcquired == nil {
		g.Notes = append(g.Notes, "n/a: the trace does not record how often and how long locks were held")
	}
	return g
}

func optional(v *float64) Cell {
	if v == nil {
		return Cell{"n/a", ""}
	}
	return Percent(*v)
}
