package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// keyTable numbers activity keys. Threads do few things at few places, so keys are few beside
// activities. A key may have several numbers.
type keyTable struct {
	all    column.Column[activityKey]
	recent [recentKeys]uint32 // numbers, plus one
}

// activityKey is an activity without its thread and times, in 12 bytes.
type activityKey struct {
	stack format.StackID
	lock  format.ObjectID // that is waited for; NoObject for all but waits
	info  uint32          // of a wait: see waitKey; of another activity: see otherKey
}

// recentKeys is how many keys are remembered, a power of two. With fewer, more keys have
// several numbers.
const recentKeys = 1 << 13

// number returns the number of a key, a new one if it was not seen lately.
func (s *keyTable) number(d activityKey) uint32 {
	recent := &s.recent[(uint32(d.stack)*0x85ebca6b^uint32(d.lock)*0xc2b2ae35^d.info*0x9e3779b1)>>8%recentKeys]
	if *recent == 0 || *s.all.At(*recent - 1) != d {
		s.all.Add(d)
		*recent = uint32(s.all.Len())
	}
	return *recent - 1
}

// list returns all keys by number.
func (s *keyTable) list() []activityKey {
	out := make([]activityKey, 0, s.all.Len())
	s.all.Each(func(_ column.Ref, d *activityKey) { out = append(out, *d) })
	return out
}
