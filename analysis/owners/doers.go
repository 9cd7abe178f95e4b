package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// doers numbers what activities are but for their threads and times: threads do
// few things at few places. One may have several numbers.
type doers struct {
	all    column.Column[doer]
	recent [recentDoers]uint32 // numbers, plus one
}

// doer is what an activity is but for its thread and times, in 12 bytes.
type doer struct {
	stack format.StackID
	lock  format.ObjectID // NoObject for what is no wait for a lock
	info  uint32          // of a wait its last owner, its mode, and how it ended; of an Other what it is
}

// recentDoers is how many doers are remembered, a power of two. With fewer, more have
// several numbers.
const recentDoers = 1 << 13

// number returns the number of a doer, a new one if it was not met lately.
func (s *doers) number(d doer) uint32 {
	recent := &s.recent[(uint32(d.stack)*0x85ebca6b^uint32(d.lock)*0xc2b2ae35^d.info*0x9e3779b1)>>8%recentDoers]
	if *recent == 0 || *s.all.At(*recent - 1) != d {
		s.all.Add(d)
		*recent = uint32(s.all.Len())
	}
	return *recent - 1
}

// list returns all in an array.
func (s *doers) list() []doer {
	out := make([]doer, 0, s.all.Len())
	s.all.Each(func(_ column.Ref, d *doer) { out = append(out, *d) })
	return out
}
