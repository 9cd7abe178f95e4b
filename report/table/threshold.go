package table

import (
	"strings"

	"contend/report/document"
)

// A recorder with a threshold leaves out the short waits. Of all waits, a
// percentile is then at most that of those recorded, and is marked so where it
// stands.

// atMost says what the mark means, below a table.
const atMost = "≤: shorter waits were not recorded (see the note on thresholds); of all waits the percentile is at most this"

// thresholdOf are the events of a recorder that hold the waits for each kind of
// lock.
var thresholdOf = map[string]string{"monitor": "MonitorEnter", "synchronizer": "ThreadPark", "readwritelock": "ThreadPark", "semaphore": "ThreadPark"}

// underThreshold reports whether short waits for a kind of lock were not
// recorded; for "", for any.
func underThreshold(c document.Coverage, kind string) bool {
	for _, w := range c.Warnings {
		if w.Code == "threshold" && (kind == "" || strings.Contains(w.Text, thresholdOf[kind]) && thresholdOf[kind] != "") {
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
