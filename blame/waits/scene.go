package waits

import (
	"contend/analysis"
	"contend/format"
)

// Scene is a visitor that collects what happened around one wait for a lock.
type Scene struct {
	*Lanes
	Lock     format.ObjectID
	From, To int64         // the wait
	Because  *analysis.Why // why its owners are named; nil where they are recorded
}

// around is how much of a scene is before its wait, and as much behind, as a part of it.
const around = 8

// NewScene returns a collector of the scene of a wait.
func NewScene(lock format.ObjectID, from, to int64) *Scene {
	pad := (to - from) / around
	return &Scene{Lanes: NewLanes(from-pad, to+pad, true), Lock: lock, From: from, To: to}
}

// Window is the time of the scene.
func (s *Scene) Window() (from, to int64) { return s.from, s.to }
