package bootstrap

import (
	"math"
	"slices"

	"contend/analysis"
)

// A recording has at most maxCells cells. When it grows beyond, pairs of neighbours are
// merged. A series costs at most 8 KB for a trace of any duration.
const (
	maxCells   = 1024
	firstWidth = int64(1e6) // 1 ms
)

// A fine recording, for questions about short intervals, has more cells and fewer series:
// half a megabyte each, 32 MB in all.
const (
	fineCells  = 1 << 16
	fineSeries = 1 << 6
)

// maxSeries bounds the memory of a pivot with a million rows. Rows beyond have no
// confidence interval.
const maxSeries = 1 << 12

// NoSeries is the number of a series that is not kept.
const NoSeries = -1

// Recorder sums nanoseconds by cell of time, for many series. A visitor that passes Begin,
// Running and Ticks on to it has the running time of all threads as series Running.
type Recorder struct {
	start  int64
	width  int64
	end    int64
	series [][]int64 // by series, by cell; empty cells at the end are absent

	cellLimit, seriesLimit int // numbers of cells and of series

	lo, hi int64 // bounds of the cell last added to, which save divisions,
	at     int   // and its number

	ticks  int64
	tickNs int64 // the time that the ticks stand for
}

// Running is the series of running thread-time.
const Running = 0

// Begin fixes the start of the recording. It must come first.
func (r *Recorder) Begin(start int64) {
	*r = Recorder{
		start:       start,
		end:         start,
		width:       firstWidth,
		series:      [][]int64{nil},
		cellLimit:   maxCells,
		seriesLimit: maxSeries,
	}
}

// BeginFine is Begin for a recording that is asked about short intervals.
func (r *Recorder) BeginFine(start int64) {
	r.Begin(start)
	r.cellLimit, r.seriesLimit = fineCells, fineSeries
}

// New adds an empty series and returns its number, or NoSeries if there are too many.
func (r *Recorder) New() int {
	if len(r.series) >= r.seriesLimit {
		return NoSeries
	}
	r.series = append(r.series, nil)
	return len(r.series) - 1
}

// Intervals returns the start and the length of the first cells, from which all later ones
// are made.
func (r *Recorder) Intervals() (from, length int64) { return r.start, firstWidth }

// Running adds running time.
func (r *Recorder) Running(from, to, ns int64) { r.AddTime(Running, from, to, ns, 1) }

// AddTime adds ns nanoseconds for each of some threads, spread evenly over [from, to), to a
// series. It allocates only when the series grows by a cell.
func (r *Recorder) AddTime(series int, from, to, ns int64, threads int) {
	if series == NoSeries {
		return
	}
	if s := r.series[series]; from >= r.lo && to < r.hi && r.at < len(s) && from <= to {
		s[r.at] += ns * int64(threads)
		r.end = max(r.end, to)
		return
	}
	r.spread(series, max(from, r.start), max(to, from, r.start), ns, int64(threads))
}

// spread is AddTime for intervals that may cover several cells, or end after the last one.
func (r *Recorder) spread(series int, from, to, ns, threads int64) {
	for r.cell(to) >= r.cellLimit {
		r.coarsen()
	}
	r.end = max(r.end, to)
	s := &r.series[series]
	for at := from; ; {
		i := r.cell(at)
		if missing := i + 1 - len(*s); missing > 0 {
			if i >= cap(*s) {
				*s = slices.Grow(
					*s,
					max(missing, min(len(*s), r.cellLimit-len(*s))),
				) // twice as many: append grows by less
			}
			clear((*s)[len(*s) : i+1])
			*s = (*s)[:i+1]
		}
		left := r.width - int64(uint64(at-r.start)%uint64(r.width))
		if uint64(to-at) <= uint64(left) {
			(*s)[i] += threads * part(ns, from, to, at, to)
			if r.at, r.lo, r.hi = i, at-(r.width-left), at+left; r.hi < at { // beyond int64
				r.hi = math.MaxInt64
			}
			return
		}
		(*s)[i] += threads * part(ns, from, to, at, at+left)
		at += left
	}
}

// part is analysis.Spread for intervals that may be empty.
func part(ns, from, to, lo, hi int64) int64 {
	if from == to {
		return ns
	}
	return analysis.Spread(ns, from, to, lo, hi)
}

// Ticks adds sampling instants and the time they stand for: the sums are then estimates
// with the resolution of a tick.
func (r *Recorder) Ticks(n, ns int64) {
	r.ticks += n
	r.tickNs += ns
}

// Sampled reports whether there were ticks.
func (r *Recorder) Sampled() bool { return r.ticks > 0 }

// cell returns the number of the cell that holds an instant. The distance from the start
// may overflow int64.
func (r *Recorder) cell(t int64) int {
	return int(min(uint64(t-r.start)/uint64(r.width), fineCells))
}

// coarsen merges each two neighbouring cells.
func (r *Recorder) coarsen() {
	r.width *= 2
	r.lo = 0
	r.hi = 0
	r.at = 0
	for i, s := range r.series {
		for j := range s {
			if j%2 == 0 {
				s[j/2] = s[j]
			} else {
				s[j/2] += s[j]
			}
		}
		r.series[i] = s[:(len(s)+1)/2]
	}
}

// Finish returns the cells. Cells of a sampled trace are at least as long as the mean reach
// of its ticks, because the time between two ticks was not observed.
func (r *Recorder) Finish() *Cells {
	grain := r.tickNs / max(r.ticks, 1)
	for r.width < grain && r.width < grain<<1 {
		r.coarsen()
	}
	c := &Cells{start: r.start, Width: r.width, Grain: grain, Sampled: r.Sampled(), series: r.series}
	for at := r.start; at < r.end; {
		n := int64(min(uint64(r.width), uint64(r.end-at)))
		c.Length = append(c.Length, n)
		at += n
	}
	return c
}

// Cells is a finished recording.
type Cells struct {
	Width   int64   // of a cell, nanoseconds
	Grain   int64   // mean reach of a tick, nanoseconds; 0 for an exact trace
	Sampled bool    // the sums are estimates
	Length  []int64 // of each cell: Width except the last
	start   int64
	series  [][]int64

	draws       *draws                // where the blocks of replicates begin; nil until drawn
	divisorSums map[divisor][]float64 // sums by replicate of series used as divisors
}

// Window returns the cells that begin in [from, to), which may be none. It merges cells of
// a long window, because the cost of an estimate grows with their number.
func (c *Cells) Window(from, to int64) *Cells {
	first, last := c.index(from), c.index(to)
	w := &Cells{start: from, Width: c.Width, Grain: c.Grain, Sampled: c.Sampled, Length: c.Length[first:last]}
	several := (last - first + maxCells - 1) / maxCells
	if several > 1 {
		w.Width, w.Length = c.Width*int64(several), join(w.Length, several)
	}
	for i := range c.series {
		s := c.Series(i)[first:last]
		if several > 1 {
			s = join(s, several)
		}
		w.series = append(w.series, s)
	}
	return w
}

// join merges each several neighbouring cells.
func join(s []int64, several int) []int64 {
	out := make([]int64, 0, len(s)/several+1)
	for i, ns := range s {
		if i%several == 0 {
			out = append(out, 0)
		}
		out[len(out)-1] += ns
	}
	return out
}

// index returns the number of the first cell that begins at t or later.
func (c *Cells) index(t int64) int {
	if t <= c.start {
		return 0
	}
	return int(min((uint64(t-c.start)+uint64(c.Width)-1)/uint64(c.Width), uint64(len(c.Length))))
}

// Series returns the sums by cell of a series, one for each of Length; nil for NoSeries.
func (c *Cells) Series(i int) []int64 {
	if i == NoSeries {
		return nil
	}
	s := c.series[i]
	for len(s) < len(c.Length) {
		s = append(s, 0)
	}
	c.series[i] = s
	return s[:len(c.Length)]
}
