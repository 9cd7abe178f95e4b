package blame

import (
	"slices"

	"contend/format"
)

// fewThreads bounds the threads that a set keeps as a list.
const fewThreads = 8

// ThreadSet is a set of threads. Most locks have a handful of them, for which a map would
// take a hundred bytes and more. The zero value is empty.
type ThreadSet struct {
	few  []format.ThreadID
	many map[format.ThreadID]struct{} // all threads, once there are more than fewThreads
	last format.ThreadID              // last added to many: most calls repeat it
}

// Len returns the number of threads.
func (s *ThreadSet) Len() int { return max(len(s.few), len(s.many)) }

// Insert adds a thread.
func (s *ThreadSet) Insert(id format.ThreadID) {
	switch {
	case s.many != nil && id == s.last:
	case s.many != nil:
		s.many[id], s.last = struct{}{}, id
	case slices.Contains(s.few, id):
	case len(s.few) < fewThreads:
		s.few = append(s.few, id)
	default:
		s.many, s.last = map[format.ThreadID]struct{}{id: {}}, id
		for _, of := range s.few {
			s.many[of] = struct{}{}
		}
		s.few = nil
	}
}

// Join adds all of another set.
func (s *ThreadSet) Join(o *ThreadSet) {
	for _, id := range o.few {
		s.Insert(id)
	}
	for id := range o.many {
		s.Insert(id)
	}
}
