package table

import (
	"cmp"
	"fmt"

	"contend/format"
	"contend/report/document"
)

// Measure says how the weights of a trace are written: as lengths of time,
// or, where the source counts, as numbers of what it counts.
type Measure struct {
	waiting string // what the rows are ordered by
	head    string // of the column with it
	of      string // behind a number, "" for time
	one     string // behind 1
}

var measures = map[string]Measure{
	"ns":                            {"waiting time (thread-time; wall-time is the time at least one thread waited)", "WAIT", "", ""},
	string(format.UnitThreads):      {"threads seen waiting", "THREADS", "threads seen waiting", "thread seen waiting"},
	string(format.UnitAcquisitions): {"contended acquisitions", "CONTENDED", "contended acquisitions", "contended acquisition"},
}

// MeasureOf returns the measure of a document's trace.
func MeasureOf(c document.Coverage) Measure {
	if m, ok := measures[c.Unit]; ok {
		return m
	}
	return measures["ns"]
}

// Counts tells that the source measured no time.
func (m Measure) Counts() bool { return m.of != "" }

// Of names what is counted, "" for time.
func (m Measure) Of() string { return m.of }

// cell holds an amount of waiting.
func (m Measure) cell(ns int64) Cell {
	if m.Counts() {
		return Count(ns)
	}
	return Time(ns)
}

// wall holds wall-time, which a count has none of.
func (m Measure) wall(ns int64) Cell {
	if m.Counts() {
		return Cell{"-", ""}
	}
	return Time(ns)
}

// Text writes an amount in a sentence.
func (m Measure) Text(ns int64) string {
	switch {
	case m.Counts() && ns == 1:
		return "1 " + m.one
	case m.Counts():
		return group(ns) + " " + m.of
	}
	return Duration(ns)
}

// Short writes an amount where there is room for a number only.
func (m Measure) Short(ns int64) string { return m.cell(ns).Text }

// what names the measure in a title.
func (m Measure) what() string { return cmp.Or(m.of, "thread-time") }

// total is the last line of a table.
func (m Measure) total(t document.Total) string {
	return m.sum(document.Waiting{Waits: t.Waits, WaitNs: t.WaitNs, WallNs: t.WallNs})
}

func (m Measure) sum(t document.Waiting) string {
	if m.Counts() {
		return "total: " + m.Text(t.WaitNs)
	}
	return fmt.Sprintf("total: %s in %s waits, wall-time %s", Duration(t.WaitNs), group(t.Waits), Duration(t.WallNs))
}

// rate holds how often something was counted in a second.
func rate(n, durationNs int64) Cell {
	if durationNs <= 0 {
		return Cell{"-", ""}
	}
	v := float64(n) * 1e9 / float64(durationNs)
	return Cell{fmt.Sprintf("%.1f", v), fmt.Sprintf("%.6f", v)}
}
