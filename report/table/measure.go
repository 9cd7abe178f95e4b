package table

import (
	"fmt"

	"contend/report/document"
	"contend/report/text"
)

// measure writes the weights of a trace in cells.
type measure struct{ text.Measure }

func measureOf(c document.Coverage) measure { return measure{text.MeasureOf(c)} }

// cell holds an amount of waiting.
func (m measure) cell(ns int64) Cell {
	if m.Counts() {
		return Count(ns)
	}
	return Time(ns)
}

// wall holds wall-time, which a count has none of.
func (m measure) wall(ns int64) Cell {
	if m.Counts() {
		return none
	}
	return Time(ns)
}

// rate holds how often something was counted in a second.
func rate(n, durationNs int64) Cell {
	if durationNs <= 0 {
		return none
	}
	v := float64(n) * 1e9 / float64(durationNs)
	return Cell{fmt.Sprintf("%.1f", v), fmt.Sprintf("%.6f", v)}
}
