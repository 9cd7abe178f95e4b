package cube

import (
	"cmp"
	"slices"

	"contend/analysis"
)

// pieces calls f for each bin that [from, to) lies in, with the part of it and of ns there.
// The parts sum to ns; an interval of length zero is one part.
func (c *Cube) pieces(from, to, ns int64, f func(bin int, lo, hi, part int64)) {
	for (max(to-1, from)-c.Start)/c.BinNs >= int64(c.limits.Bins) {
		c.coarsen()
	}
	c.End = max(c.End, to)
	for lo := from; ; {
		bin, hi := (lo-c.Start)/c.BinNs, to
		if left := c.BinNs - (lo - c.Start - bin*c.BinNs); left < to-lo { // the end of the bin itself may overflow
			hi = lo + left
		}
		f(int(bin), lo, hi, analysis.Spread(ns, from, to, lo, hi))
		if hi >= to {
			return
		}
		lo = hi
	}
}

// Cut calls f for each bin of a finished cube that [from, to) lies in, with the part of it
// there. An interval of length zero is one part of length zero. What lies before the first
// bin or behind the last one is left out.
func (c *Cube) Cut(from, to int64, f func(bin int32, ns int64)) {
	end := c.Start + int64(c.Bins())*c.BinNs
	for lo := max(from, c.Start); lo < min(max(to, from+1), end); {
		bin := (lo - c.Start) / c.BinNs
		hi := min(c.Start+(bin+1)*c.BinNs, max(to, lo))
		f(int32(bin), hi-lo)
		lo = max(hi, lo+1)
	}
}

// Bins returns how many bins are in use.
func (c *Cube) Bins() int {
	last := len(c.RunningNs) - 1
	for i := range c.Rows {
		if n := len(c.Rows[i].Cells); n > 0 {
			last = max(last, int(c.Rows[i].Cells[n-1].Bin))
		}
	}
	return last + 1
}

// MaxBins returns how many bins there may be.
func (c *Cube) MaxBins() int { return c.limits.Bins }

// CellAt is the place of a cell: its row, and among the cells of that.
type CellAt struct{ Row, Cell int32 }

// CellOf returns a cell and its row.
func (c *Cube) CellOf(at CellAt) (*Row, *Cell) {
	r := &c.Rows[at.Row]
	return r, &r.Cells[at.Cell]
}

// ByTime returns all cells by bin, those of a bin in the order of the rows.
func (c *Cube) ByTime() []CellAt {
	order := make([]CellAt, 0, c.cells)
	for i := range c.Rows {
		for j := range c.Rows[i].Cells {
			order = append(order, CellAt{int32(i), int32(j)})
		}
	}
	slices.SortStableFunc(order, func(a, b CellAt) int {
		return cmp.Compare(c.Rows[a.Row].Cells[a.Cell].Bin, c.Rows[b.Row].Cells[b.Cell].Bin)
	})
	return order
}

// addCell adds to a row, and returns the place of the cell. Slices come in order of time
// but for their length, so the cell is the last one or near it.
func (c *Cube) addCell(r *Row, cell Cell) int {
	r.Ns += cell.Ns
	r.Waits += int64(cell.Waits)
	i := len(r.Cells)
	if i > 0 && r.Cells[i-1].Bin > cell.Bin {
		i, _ = slices.BinarySearchFunc(r.Cells, cell.Bin+1, func(c Cell, bin int32) int { return int(c.Bin - bin) })
	}
	if i > 0 && r.Cells[i-1].Bin == cell.Bin {
		r.Cells[i-1].Ns += cell.Ns
		r.Cells[i-1].Waits += cell.Waits
		return i - 1
	}
	c.cells++
	r.Cells = slices.Insert(r.Cells, i, cell)
	if c.clock {
		r.walls = slices.Insert(r.walls, i, analysis.Union{})
	}
	return i
}

// coarsen makes one bin of two. Bins of the clock stay aligned to it.
func (c *Cube) coarsen() {
	shift := 0
	if c.clock && c.Start/c.BinNs%2 != 0 {
		shift = 1
		c.Start -= c.BinNs
	}
	c.BinNs *= 2
	half := make([]int64, (len(c.RunningNs)+shift+1)/2)
	for bin, ns := range c.RunningNs {
		half[(bin+shift)/2] += ns
	}
	c.RunningNs = half
	for i := range c.Rows {
		c.halve(&c.Rows[i], int32(shift))
	}
	c.halve(&c.Total, int32(shift))
}

func (c *Cube) halve(r *Row, shift int32) {
	n := 0
	for i, cell := range r.Cells {
		cell.Bin = (cell.Bin + shift) / 2
		if n > 0 && r.Cells[n-1].Bin == cell.Bin {
			r.Cells[n-1].Ns += cell.Ns
			r.Cells[n-1].Waits += cell.Waits
			if c.clock {
				r.walls[n-1].Append(&r.walls[i])
			}
			continue
		}
		if r.Cells[n] = cell; c.clock {
			r.walls[n] = r.walls[i]
		}
		n++
	}
	c.cells -= len(r.Cells) - n
	if r.Cells = r.Cells[:n]; c.clock {
		clear(r.walls[n:])
		r.walls = r.walls[:n]
	}
}
