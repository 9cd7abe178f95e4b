package owners

import (
	"slices"

	"contend/analysis/internal/column"
)

// lockWaits are the waits for one lock, by start.
type lockWaits []span

// gather returns the waits for a lock in one list. In the store they lie with the activities of
// their threads, scattered over memory.
func (s *store) gather(waits []column.Ref) lockWaits {
	list := slices.Grow(lockWaits{}, len(waits))
	for _, i := range waits {
		start, end := s.Span(i)
		list = append(list, span{start, end})
	}
	return list
}

// busy returns the union of the waits.
func (l lockWaits) busy() (out []span) {
	for _, w := range l {
		if n := len(out); n > 0 && w.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, w.end)
		} else {
			out = append(out, w)
		}
	}
	return out
}
