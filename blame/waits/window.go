package waits

import (
	"contend/analysis"
	"contend/format"
)

// Window is a visitor that lays out what threads did around one wait for a lock.
type Window struct {
	*Lanes
	Lock     format.ObjectID
	From, To int64         // the wait
	Because  *analysis.Why // the evidence for its owners; nil if they are recorded
}

// padding: a window shows 1/padding of the wait's length before the wait and after it.
const padding = 8

// maxActivities bounds the activities of a window: a picture of minutes shows no more.
const maxActivities = 200_000

// NewWindow returns a collector of the window around a wait.
func NewWindow(lock format.ObjectID, from, to int64) *Window {
	pad := (to - from) / padding
	return &Window{Lanes: NewLanes(from-pad, to+pad, maxActivities), Lock: lock, From: from, To: to}
}

// Bounds returns the interval that the window shows.
func (w *Window) Bounds() (from, to int64) { return w.from, w.to }
