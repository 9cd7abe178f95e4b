package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// OwnerThread is a thread that held a lock while others waited for it.
type OwnerThread struct {
	Thread string // its name
	WaitNs int64
}

// stackless sums the waiting for owners that are known by their thread alone, by row of owners.
type stackless struct {
	byRow map[int32]map[format.ThreadID]int64
	sums  int
}

// maxStackless bounds the sums. Later threads are left out.
const maxStackless = 1 << 16

// charge adds waiting to the sum of an owner if it has no stack.
func (s *stackless) charge(row int32, o analysis.Owner, ns int64) {
	if o.Kind != analysis.OwnerThread || o.Stack != format.NoStack || o.Thread == format.NoThread {
		return
	}
	threads := s.byRow[row]
	if _, known := threads[o.Thread]; !known {
		if s.sums == maxStackless {
			return
		}
		s.sums++
	}
	if threads == nil {
		threads = map[format.ThreadID]int64{}
		if s.byRow == nil {
			s.byRow = map[int32]map[format.ThreadID]int64{}
		}
		s.byRow[row] = threads
	}
	threads[o.Thread] += ns
}

// threads names the owners without a stack in some rows, in descending order of waiting.
func (s *stackless) threads(rows []int32, name func(format.ThreadID) string) (out []OwnerThread) {
	byName := map[string]int64{}
	for _, row := range rows {
		for thread, ns := range s.byRow[row] {
			byName[name(thread)] += ns
		}
	}
	for name, ns := range byName {
		out = append(out, OwnerThread{name, ns})
	}
	slices.SortFunc(out, func(a, b OwnerThread) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Thread, b.Thread))
	})
	return out
}
