package findings

import "math/bits"

// The grid of instants at which threads are looked for.
const (
	gridLen   = 4096
	gridWidth = 5_000_000 // ns at first; doubled if the trace is longer
)

// grid is the position of the instants, and those at which any thread was seen.
type grid struct {
	start, width int64    // width 0: nothing was seen yet
	first, last  int64    // first and last time seen; records are not in order of time, so first may precede start
	seen         instants // of sources that see instants
}

// used returns the instants at which threads at a place would have been seen.
func (g *grid) used(source pollSource) (u instants) {
	if source != sleepRecorded {
		return g.seen
	}
	u.set(0, int((g.last-g.start)/max(g.width, 1))+1)
	return u
}

// instants is a set of instants of a grid.
type instants [gridLen / 64]uint64

// set adds the instants from from to before to.
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

// halve merges each pair of instants: to either of the two, or to the first.
func (s *instants) halve(either bool) {
	var out instants
	for i := range gridLen / 2 {
		if s.has(2*i) || either && s.has(2*i+1) {
			out.set(i, i+1)
		}
	}
	*s = out
}
