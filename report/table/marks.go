package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"contend/format"
	"contend/report/document"
)

// A recorder with a threshold leaves out the short waits. A percentile of the recorded
// waits is then an upper bound for that of all waits, and is marked so.

// atMost is the note on the mark, below a table.
const atMost = "≤: shorter waits were not recorded (see the note on thresholds); the percentile over all waits is " +
	"at most this"

// thresholdOf are the events of a recorder with the waits for each kind of lock.
var thresholdOf = map[string]string{
	"monitor":       "MonitorEnter",
	"synchronizer":  "ThreadPark",
	"readwritelock": "ThreadPark",
	"semaphore":     "ThreadPark",
}

// underThreshold reports whether short waits for a kind of lock were not recorded; "" means any
// kind.
func underThreshold(c document.Coverage, kind string) bool {
	for _, w := range c.Warnings {
		if w.Code == format.CodeThreshold &&
			(kind == "" || thresholdOf[kind] != "" &&
				slices.ContainsFunc(w.Events, func(e string) bool { return strings.Contains(e, thresholdOf[kind]) })) {
			return true
		}
	}
	return false
}

// marked marks a cell that holds a percentile of recorded waits.
func (c Cell) marked(under bool) Cell {
	if under && c != none {
		c.Text = "≤ " + c.Text
	}
	return c
}

// addUncertainty inserts the column of 95 % intervals after the first one if the rows rest on
// samples; of returns the interval of a row.
func (g *Grid) addUncertainty(of func(row int) *document.Uncertainty) {
	shortest, longest := int64(math.MaxInt64), int64(0)
	for i := range g.Rows {
		if d := of(i); d != nil {
			shortest, longest = min(shortest, d.BlockNs), max(longest, d.BlockNs)
		}
	}
	if longest == 0 {
		return
	}
	insert := func(list []Cell, c Cell) []Cell { return append([]Cell{list[0], c}, list[1:]...) }
	for i := range g.Rows {
		g.Rows[i] = insert(g.Rows[i], uncertaintyCell(of(i)))
	}
	g.Head = append([]string{g.Head[0], "+/-"}, g.Head[1:]...)
	g.Left = append([]bool{false, false}, g.Left[1:]...)
	g.Notes = append(
		g.Notes,
		fmt.Sprintf("+/- is a 95 %% interval, from a bootstrap over blocks of %s", blocks([2]int64{shortest, longest})),
	)
}

func uncertaintyCell(d *document.Uncertainty) Cell {
	if d == nil || d.PlusMinusNs == nil {
		return Cell{"?", ""}
	}
	return Time(*d.PlusMinusNs)
}
