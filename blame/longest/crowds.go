package longest

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// crowds are those waits in each crowd of which more is to be told than how long they
// are. Most have soon as many parts as are kept.
type crowds map[format.ObjectID][]*Wait

// Crowd implements analysis.CrowdVisitor.
func (c *Collector) Crowd(s *analysis.Slice, _ int) {
	if list := c.crowds[s.Lock]; len(list) > 0 {
		c.crowds[s.Lock] = slices.DeleteFunc(list, func(w *Wait) bool { return w.addInCrowd(s) })
	}
}

// addInCrowd is add, unless the wait has all its parts: what is left of it is known
// without looking at more slices.
func (w *Wait) addInCrowd(s *analysis.Slice) (whole bool) {
	if len(w.Parts) == maxParts && w.told < s.Start {
		w.whole, w.inCrowd = true, false
		return true
	}
	w.add(s)
	return false
}

// Moved implements analysis.CrowdVisitor.
func (c *Collector) Moved(m *analysis.Move) {
	w := c.of(m.Thread)
	switch {
	case m.Twice || w == nil || w.Lock != m.Lock:
	case m.Leaves:
		c.crowds.drop(w)
	case !w.inCrowd && !w.whole:
		w.inCrowd = true
		c.crowds[m.Lock] = append(c.crowds[m.Lock], w)
	}
}

func (c crowds) drop(w *Wait) {
	if w.inCrowd {
		list := c[w.Lock]
		at := slices.Index(list, w)
		c[w.Lock] = slices.Delete(list, at, at+1)
		w.inCrowd = false
	}
}
