package owners

import (
	"sync"

	"contend/analysis/internal/column"
	"contend/format"
)

// seenBy asks about the call sites of one thread. It steps over the activities
// between busy stretches, and over the busy stretches between activities: there
// may be many of either. Asked are the doers it need not look at again.
func (ev *evidence) seenBy(t format.ThreadID, s *section, asked *marks) {
	of := ev.Scan(ev.Of(t))
	if !of.Next() {
		return
	}
	for busy := s.busy; len(busy) > 0; busy = endingAfter(busy[1:], of.Start) {
		z := busy[0]
		if of.Start < z.start {
			of.move(of.at + column.Ref(ev.further(Refs{of.at, of.to}, z.start)-1)) // that one may last until then
		}
		for of.Start < z.end {
			if n := of.number(); !asked.has(n) {
				ev.askAbout(s, n, asked, of.End > max(of.Start, z.start) && of.End <= z.end)
			}
			if !of.Next() {
				return
			}
		}
	}
}

// askAbout asks about the call site of a doer if an activity of it lay in a busy
// stretch; what has none need not be looked at again.
func (ev *evidence) askAbout(s *section, doer uint32, asked *marks, busy bool) {
	d := &ev.what[doer]
	none := d.lock == s.lock || d.stack == format.NoStack
	if none || busy {
		asked.add(doer)
	}
	if busy && !none {
		note(&s.inside, callSite{d.stack, d.lock}, false)
	}
}

// endingAfter drops the stretches that end at t or before.
func endingAfter(list []span, t int64) []span {
	if len(list) == 0 || list[0].end > t { // mostly
		return list
	}
	return list[nearby(1, len(list), func(i int) bool { return list[i].end <= t }):]
}

// marks tells which of some numbers were met in this round: it is used again for
// many locks without being cleared.
type marks struct {
	round uint32
	at    []uint32 // by number: in which round it was met last
}

// marked returns marks for n numbers, none of which is met.
func marked(from *sync.Pool, n int) *marks {
	m, _ := from.Get().(*marks)
	if m == nil {
		m = &marks{at: make([]uint32, n)}
	}
	m.round++
	return m
}

func (m *marks) has(n uint32) bool { return m.at[n] == m.round }

func (m *marks) add(n uint32) { m.at[n] = m.round }
