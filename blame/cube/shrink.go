package cube

import (
	"cmp"
	"slices"
)

// minBins is the number of bins below which rows are merged before bins are: fewer bins would
// not show when something happened.
const minBins = 60

// shrink merges while slices arrive: to three quarters of the size that triggers it, so that
// it does not run for each new row.
func (c *Cube) shrink() {
	c.bound(Limits{c.limits.Bins, c.limits.Rows * 3 / 2, c.limits.Cells * 3 / 2})
}

// bound merges until the table is within the limits, or nothing more can be merged.
func (c *Cube) bound(l Limits) {
	if c.index != nil {
		c.fold(l.Rows)
		for c.cells > l.Cells && c.Bins() > minBins {
			c.coarsen()
		}
		for rows := len(c.Rows); c.cells > l.Cells && rows > 1; {
			rows = min(rows, len(c.Rows)) / 2
			c.fold(rows)
		}
	}
	for c.cells > l.Cells && c.Bins() > 1 {
		c.coarsen()
	}
}

// merged reports whether a row stands for what did not fit.
func (k Key) merged() bool { return slices.Contains(k[:], Other) }

// fold merges the smallest rows until there are at most limit, or none is left to merge. A
// row loses its names only when all smaller rows have lost theirs: thousands of locks with one
// wait each must not cost the stacks of the lock that matters.
func (c *Cube) fold(limit int) {
	for before := len(c.Rows) + 1; len(c.Rows) > limit && len(c.Rows) < before; {
		before = len(c.Rows)
		c.foldOnce(limit)
	}
}

func (c *Cube) foldOnce(limit int) {
	order := make([]int, len(c.Rows))
	alike := map[groups]int{} // rows that would be one without their stacks
	for i := range order {
		order[i] = i
		alike[c.Rows[i].Key.groups()]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Rows[a].Ns, c.Rows[b].Ns) })
	left, gone := len(c.Rows), make([]bool, len(c.Rows))
	for _, i := range order {
		if left <= limit {
			break
		}
		to := c.Rows[i].Key.withoutStacks()
		if to == c.Rows[i].Key || alike[to.groups()] == 1 { // would lose names and make no room
			to = to.nameless()
		}
		if to == c.Rows[i].Key {
			continue
		}
		if _, ok := c.index[to]; !ok {
			left++
			gone = append(gone, false)
			alike[to.groups()]++
		}
		delete(c.index, c.Rows[i].Key) // no other row may be joined to it
		c.join(c.find(to), i)
		gone[i] = true
		left--
	}
	c.sweep(gone)
}

// join moves the cells of one row to another.
func (c *Cube) join(to, from int) {
	cells := c.Rows[from].Cells
	c.cells -= len(cells)
	c.Rows[from].Cells = nil
	for _, cell := range cells {
		c.addCell(&c.Rows[to], cell)
	}
}

// sweep removes the rows that were merged. All other numbers of rows change with that.
func (c *Cube) sweep(gone []bool) {
	kept := c.Rows[:0]
	for i, r := range c.Rows {
		if !gone[i] {
			c.index[r.Key] = int32(len(kept))
			kept = append(kept, r)
		}
	}
	clear(c.Rows[len(kept):])
	c.Rows = kept
	c.met.Forget()
	clear(c.numbered)
}
