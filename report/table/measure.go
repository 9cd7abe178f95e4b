package table

import (
	"fmt"

	"contend/format"
	"contend/report/schema"
)

// measure says how the weights of a trace are written: as lengths of time,
// or, where the source counts, as numbers of what it counts.
type measure struct {
	waiting string // what the rows are ordered by
	head    string // of the column with it
	of      string // behind a number, "" for time
}

var measures = map[string]measure{
	"ns":                            {"waiting time (thread-time; wall-time is the time at least one thread waited)", "WAIT", ""},
	string(format.UnitThreads):      {"threads seen waiting", "THREADS", "threads seen waiting"},
	string(format.UnitAcquisitions): {"contended acquisitions", "CONTENDED", "contended acquisitions"},
}

func measureOf(c schema.Coverage) measure {
	if m, ok := measures[c.Unit]; ok {
		return m
	}
	return measures["ns"]
}

// counts tells that the source measured no time.
func (m measure) counts() bool { return m.of != "" }

// cell holds an amount of waiting.
func (m measure) cell(ns int64) Cell {
	if m.counts() {
		return Count(ns)
	}
	return Time(ns)
}

// wall holds wall-time, which a count has none of.
func (m measure) wall(ns int64) Cell {
	if m.counts() {
		return Cell{"-", ""}
	}
	return Time(ns)
}

// text writes an amount in a sentence.
func (m measure) text(ns int64) string {
	if m.counts() {
		return group(ns) + " " + m.of
	}
	return Duration(ns)
}

// total is the last line of a table.
func (m measure) total(t schema.Total) string {
	if m.counts() {
		return "total: " + m.text(t.WaitNs)
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
