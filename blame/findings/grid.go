package findings

import "math/bits"

// The grid of instants at which it is asked where threads were.
const (
	gridLen   = 4096
	gridWidth = 5_000_000 // ns at first; doubled where the trace is longer
)

// grid is where its instants lie, and at which of them anything was seen.
type grid struct {
	start, width int64    // width 0: there is nothing yet
	first, last  int64    // of what was seen: recorders do not write in order of time, so some lies before start
	seen         instants // of grids of instants that were seen
}

// used returns the instants of a grid that were looked at.
func (g *grid) used(source pollSource) (u instants) {
	if source != sleepRecorded {
		return g.seen
	}
	u.set(0, int((g.last-g.start)/max(g.width, 1))+1)
	return u
}

// instants is a set of those of a grid.
type instants [gridLen / 64]uint64

// set adds the instants from one to before another.
func (s *instants) set(from, to int) {
	for i := max(from, 0); i < min(to, gridLen); i++ {
		s[i/64] |= 1 << (i % 64)
	}
}

func (s *instants) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s *instants) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// halve makes of each two instants one: either, or the first of them.
func (s *instants) halve(either bool) {
	var out instants
	for i := range gridLen / 2 {
		if s.has(2*i) || either && s.has(2*i+1) {
			out.set(i, i+1)
		}
	}
	*s = out
}
