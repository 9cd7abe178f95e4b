package owners

import "slices"

// cells tell for which locks somebody waits in a stretch of time, or shortly before or
// after it: all time is cut where somebody begins to wait, each few times, and each
// piece lists its locks.
type cells struct {
	from  []int64  // when each cell but the first begins
	first []uint32 // by cell: where its locks begin
	locks []uint32 // the numbers of their sections, each once in a cell
}

// perCell is how many stretches with waiters begin in a cell, about.
const perCell = 4

// newCells makes the cells of some sections, which are given by their numbers.
func newCells(sections []*section, some []uint32) *cells {
	c := &cells{}
	for _, n := range some {
		busy := sections[n].busy
		for i := int(n % perCell); i < len(busy); i += perCell { // of many locks some have one stretch each
			c.from = append(c.from, busy[i].start)
		}
	}
	slices.Sort(c.from)
	c.from = slices.Compact(c.from)
	c.first = make([]uint32, len(c.from)+3)
	c.each(sections, some, func(cell int, _ uint32) { c.first[cell+2]++ })
	for i := range c.first[1:] {
		c.first[i+1] += c.first[i]
	}
	c.locks = make([]uint32, c.first[len(c.first)-1])
	c.each(sections, some, func(cell int, n uint32) {
		c.locks[c.first[cell+1]] = n
		c.first[cell+1]++
	})
	return c
}

// each calls f with each cell in which somebody waits for the lock of a section.
func (c *cells) each(sections []*section, some []uint32, f func(cell int, n uint32)) {
	for _, n := range some {
		at, next := 0, 0
		for _, z := range sections[n].busy {
			at = c.at(at, z.start)
			last := c.at(at, z.end)
			for cell := max(at, next); cell <= last; cell++ {
				f(cell, n)
			}
			next = last + 1
		}
	}
}

// at returns the cell of an instant, which is looked for from one on.
func (c *cells) at(near int, t int64) int {
	return nearby(near, len(c.from), func(i int) bool { return c.from[i] <= t })
}

// during returns the locks for which somebody waits in a stretch, or nearly, and the
// cell in which it begins; some locks are there several times.
func (c *cells) during(near int, start, end int64) (locks []uint32, cell int) {
	cell = c.at(near, start)
	return c.locks[c.first[cell]:c.first[c.at(cell, end)+1]], cell
}
