package locks

import "slices"

// fewIDs is how many ids a set keeps as a list.
const fewIDs = 8

// idSet is a set of ids. Most locks have a handful of threads, for which a map would take a
// hundred bytes and more. The zero value is empty.
type idSet struct {
	few  []uint32
	many map[uint32]struct{} // all of them, once they are many
	last uint32              // added to many: ids come again and again
}

func (s *idSet) len() int { return max(len(s.few), len(s.many)) }

func (s *idSet) add(id uint32) {
	switch {
	case s.many != nil && id == s.last:
	case s.many != nil:
		s.many[id], s.last = struct{}{}, id
	case slices.Contains(s.few, id):
	case len(s.few) < fewIDs:
		s.few = append(s.few, id)
	default:
		s.many, s.last = map[uint32]struct{}{id: {}}, id
		for _, of := range s.few {
			s.many[of] = struct{}{}
		}
		s.few = nil
	}
}

// join adds all of another set.
func (s *idSet) join(o *idSet) {
	for _, id := range o.few {
		s.add(id)
	}
	for id := range o.many {
		s.add(id)
	}
}
