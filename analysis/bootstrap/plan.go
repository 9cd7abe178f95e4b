package bootstrap

import "slices"

// plan is where the blocks of all replicates begin, turned around: which replicates
// have a block that begins at a cell. Most rows of a large table wait in a few cells
// of a thousand, and then few blocks of any replicate matter. The last block of
// each replicate is shorter, so that it has as many cells as the recording.
type plan struct {
	block, last int
	starts      []uint32 // by cell: where in whole its replicates are; one more ends the last
	whole       []uint16 // replicates by the cell at which a block begins, all but their last ones
	short       []uint32 // by replicate: the cell its last block begins at
}

// newPlan turns around the first cells of the blocks of all replicates, one replicate
// after another, of a recording of n cells.
func newPlan(n, block, blocks int, drawn []uint32) *plan {
	p := &plan{block: block, last: n - (blocks-1)*block, starts: make([]uint32, n+1), short: make([]uint32, 0, replicates)}
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

// sums returns what each replicate draws of a series, of which the sums of the
// first 0, 1, ..., n cells are given.
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

// within is what lies in a block that begins at a cell; behind the last cell the
// first comes again.
func within(prefix []float64, at, block int) float64 {
	n := len(prefix) - 1
	if end := at + block; end <= n {
		return prefix[end] - prefix[at]
	}
	return prefix[n] + prefix[at+block-n] - prefix[at]
}
