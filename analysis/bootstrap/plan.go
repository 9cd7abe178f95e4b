package bootstrap

import "slices"

// plan is the inverse of the draws: for each cell, the replicates with a block that begins
// there. Most rows of a large table wait in a few cells of a thousand, so few blocks of a
// replicate matter. The last block of a replicate is shorter, so that each replicate has as
// many cells as the recording.
type plan struct {
	block, last int
	starts      []uint32 // by cell: index of its first replicate in whole; one more element ends the last
	whole       []uint16 // replicates, by the first cell of each block but their last ones
	short       []uint32 // by replicate: the first cell of its last block
}

// newPlan inverts the first cells of all blocks, listed replicate by replicate, of a
// recording of n cells.
func newPlan(n, block, blocks int, drawn []uint32) *plan {
	p := &plan{
		block:  block,
		last:   n - (blocks-1)*block,
		starts: make([]uint32, n+1),
		short:  make([]uint32, 0, replicates),
	}
	for i, at := range drawn {
		if i%blocks == blocks-1 {
			p.short = append(p.short, at)
			continue
		}
		p.starts[at+1]++
	}
	for i := range n {
		p.starts[i+1] += p.starts[i]
	}
	p.whole = make([]uint16, p.starts[n])
	next := slices.Clone(p.starts)
	for r := range replicates {
		for _, at := range drawn[r*blocks : (r+1)*blocks-1] {
			p.whole[next[at]] = uint16(r)
			next[at]++
		}
	}
	return p
}

// sums returns the sum of a series by replicate, from the series' prefix sums.
func (p *plan) sums(prefix []float64) []float64 {
	out := make([]float64, replicates)
	for at := range len(prefix) - 1 {
		ns := within(prefix, at, p.block)
		if ns == 0 {
			continue
		}
		for _, r := range p.whole[p.starts[at]:p.starts[at+1]] {
			out[r] += ns
		}
	}
	for r, at := range p.short {
		out[r] += within(prefix, int(at), p.last)
	}
	return out
}

// within returns the sum of a block that begins at a cell. After the last cell comes the
// first.
func within(prefix []float64, at, block int) float64 {
	n := len(prefix) - 1
	if end := at + block; end <= n {
		return prefix[end] - prefix[at]
	}
	return prefix[n] + prefix[at+block-n] - prefix[at]
}
