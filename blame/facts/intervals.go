package facts

import "contend/analysis"

// pieces calls f for each interval of a stretch with its part of ns. Parts sum
// to ns; a stretch of no length has one.
func (c *Collector) pieces(from, to, ns int64, f func(bin, lo, hi, part int64)) {
	c.reach(from, max(to-1, from))
	for lo := from; ; {
		bin := floorDiv(lo, c.IntervalNs)
		hi := to
		if to-lo > c.IntervalNs-(lo-bin*c.IntervalNs) {
			hi = (bin + 1) * c.IntervalNs
		}
		if hi <= lo {
			f(bin, lo, lo, ns)
			return
		}
		f(bin, lo, hi, analysis.Spread(ns, from, to, lo, hi))
		if hi == to {
			return
		}
		lo = hi
	}
}

// reach notes that a stretch is met, and makes intervals longer until there are
// few enough.
func (c *Collector) reach(from, last int64) {
	for {
		lo, hi := floorDiv(from, c.IntervalNs), floorDiv(last, c.IntervalNs)
		if c.any {
			lo, hi = min(lo, c.first), max(hi, c.last)
		}
		if hi-lo < c.maxBins {
			c.first, c.last, c.any = lo, hi, true
			return
		}
		c.coarsen()
	}
}

// coarsen makes one interval of two, which keeps them aligned.
func (c *Collector) coarsen() {
	c.IntervalNs *= 2
	c.first, c.last = floorDiv(c.first, 2), floorDiv(c.last, 2)
	c.cells = 0
	for i := range c.Rows {
		c.Rows[i].Cells = c.pairs(c.Rows[i].Cells)
	}
	c.Total = c.pairs(c.Total)
	running := make(map[int64]int64, len(c.RunningNs)/2+1)
	for bin, ns := range c.RunningNs {
		running[floorDiv(bin, 2)] += ns
	}
	c.RunningNs = running
}

// pairs joins cells whose intervals have become one.
func (c *Collector) pairs(cells []Cell) []Cell {
	kept := cells[:0]
	for _, cell := range cells {
		cell.Bin = floorDiv(cell.Bin, 2)
		if n := len(kept); n > 0 && kept[n-1].Bin == cell.Bin {
			kept[n-1].join(&cell.Sum)
			continue
		}
		kept = append(kept, cell)
	}
	clear(cells[len(kept):])
	c.cells += len(kept)
	return kept
}

// join adds the sum of the interval that follows.
func (s *Sum) join(o *Sum) {
	s.Ns += o.Ns
	s.Waits += o.Waits
	s.wall.Append(&o.wall)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Finish computes the wall-times; nothing can be added any more. That of a row is
// no longer than its thread-time, see Sum; that of all together never is but for
// a nanosecond where shares are cut.
func (c *Collector) Finish() {
	for i := range c.Rows {
		for j := range c.Rows[i].Cells {
			s := &c.Rows[i].Cells[j].Sum
			s.WallNs, s.wall = min(s.wall.Len(), s.Ns), analysis.Union{}
		}
	}
	for i := range c.Total {
		s := &c.Total[i].Sum
		s.WallNs, s.wall = s.wall.Len(), analysis.Union{}
	}
}
