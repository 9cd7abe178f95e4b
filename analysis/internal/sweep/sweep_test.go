package sweep

import (
	"testing"

	"contend/analysis/internal/graph"
	"contend/format/column"
	"contend/golden"
)

// The bound is computed at most once for boundShare emitted slices of each waiter: each
// computation visits all waiters.
func TestTheBoundIsAsCheapForManyWaiters(t *testing.T) {
	const emitted = 1 << 17
	for waiting, want := range map[int]int{1: 128, 256: 128, 1024: 32, 16384: 2} {
		s := &openWaits{state: make([]nodeState, waiting), queue: make([]queue, 1)}
		s.g.Blocked = make([]graph.Blocked, waiting)
		s.queue[0].open = make([]openSlice, waiting)
		for i := range waiting {
			s.state[i].place = uint32(i)
			s.queue[0].open[i].since = emitted
			s.waiting.Push(column.Key{ID: uint32(i)})
		}
		visits := 0
		for i := range emitted {
			before := s.noEarlierStart
			s.now = int64(i)
			if s.boundStarts(1); s.noEarlierStart > before {
				visits++
			}
		}
		golden.Equal(t, visits, want, waiting, "threads wait: all are visited", "times while", emitted, "are emitted")
	}
}
