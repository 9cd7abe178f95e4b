package document

import (
	"cmp"
	"slices"

	"contend/analysis"
)

// Line is the pressure of a lock over time, cell by cell, or of all locks of a class at a site, as phases are.
type Line struct {
	Class, Lock string // of several locks the one that is met first
	Site        string // "" if it is not known
	Locks       int
	WaitNs      int64 // over all cells
	CSP         float64
	Cells       []Cell
}

// Cell is a part of one line: one interval, or several merged.
type Cell struct {
	WaitNs int64
	CSP    float64
}

// Lines returns the pressure of all locks, by class and site, descending by waiting time, in at most n cells. If there
// are more intervals than cells, neighbours are merged by adding their waiting and running time, so
// that nothing is lost. The second result holds the edges of the cells, one more than cells.
func (d *CSP) Lines(n int) (lines []Line, edges []int64) {
	all := d.Len()
	n = min(max(n, 1), all)
	if n == 0 {
		return nil, nil
	}
	running := make([]int64, n)
	at, counted := map[[3]string]int{}, map[[2]string]bool{}
	cell, i := 0, 0
	for iv := range d.Each() {
		switch {
		case i == 0:
			edges = []int64{iv.StartNs, iv.EndNs}
		case i == (cell+1)*all/n: // the first of the next cell
			cell++
			edges = append(edges, iv.EndNs)
		default:
			edges[cell+1] = iv.EndNs
		}
		i++
		running[cell] += iv.RunningNs
		for _, l := range iv.Locks {
			site := d.Coverage.Places()[l.Lock].Site
			key := [3]string{l.Class, site, l.Lock}
			if Placed(site) {
				key[2] = ""
			}
			row, ok := at[key]
			if !ok {
				row = len(lines)
				at[key] = row
				lines = append(lines, Line{Class: l.Class, Lock: l.Lock, Site: site, Cells: make([]Cell, n)})
			}
			if one := [2]string{l.Class, l.Lock}; !counted[one] {
				counted[one] = true
				lines[row].Locks++
			}
			lines[row].WaitNs += l.WaitNs
			lines[row].Cells[cell].WaitNs += l.WaitNs
		}
	}
	for i := range lines {
		lines[i].divide(running, d.Total.RunningNs)
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Lock, b.Lock))
	})
	return lines, edges
}

// divide computes the ratios.
func (l *Line) divide(running []int64, total int64) {
	l.CSP = analysis.Ratio(l.WaitNs, total)
	for i := range l.Cells {
		l.Cells[i].CSP = analysis.Ratio(l.Cells[i].WaitNs, running[i])
	}
}

// Peak is the highest pressure of any cell.
func Peak(lines []Line) (p float64) {
	for i := range lines {
		for _, c := range lines[i].Cells {
			p = max(p, c.CSP)
		}
	}
	return p
}
