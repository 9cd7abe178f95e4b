package durations

import "slices"

// Point is a point of the cumulative distribution: the fraction Below of all durations is
// at most Ns.
type Point struct {
	Below float64
	Ns    int64
}

// halvings is how far a curve follows the percentiles: until one duration in 2^halvings
// remains. steps is the number of points for each halving.
const (
	halvings = 30
	steps    = 5
)

// Curve returns the percentiles from 0 to 1, denser towards 1: a few steps for each halving
// of the rest, until that is less than one duration. It is empty for an empty distribution.
func (d *Distribution) Curve() []Point {
	if d.n == 0 {
		return nil
	}
	var out []Point
	for rest, i := 1.0, 0; i < halvings && rest*float64(d.n) >= 1; rest, i = rest/2, i+1 {
		for step := range steps {
			below := 1 - rest + rest/2*float64(step)/steps
			out = append(out, Point{below, d.Percentile(100 * below)})
		}
	}
	return append(out, Point{1, d.max})
}

// Band is the number of durations in [From, To).
type Band struct {
	From, To int64
	Count    int64
}

// Bands counts the durations between round edges, 1, 2 and 5 times a power of ten
// nanoseconds, from the first nonempty band to the last. Zero durations are a band of their
// own, [0, 1). A histogram bucket that contains an edge counts below it. Durations beyond
// the last band count in it.
func (d *Distribution) Bands() []Band {
	all := edges()
	d.each(func(ns, _, n int64) {
		i, _ := slices.BinarySearchFunc(all, min(ns, all[len(all)-1].From), func(b Band, ns int64) int {
			switch {
			case b.To <= ns:
				return -1
			case b.From > ns:
				return 1
			}
			return 0
		})
		all[i].Count += n
	})
	held := func(b Band) bool { return b.Count > 0 }
	first := slices.IndexFunc(all, held)
	if first < 0 {
		return nil
	}
	last := len(all)
	for !held(all[last-1]) {
		last--
	}
	return all[first:last]
}

// edges returns the empty bands, from zero to the largest int64.
func edges() []Band {
	out := []Band{{From: 0, To: 1}}
	for decade := int64(1); decade < 1e18; decade *= 10 {
		for _, e := range [...]int64{1, 2, 5} {
			from := e * decade
			to := from * 2
			if e == 2 {
				to = 5 * decade
			}
			out = append(out, Band{From: from, To: to})
		}
	}
	return out
}

// Bucket is the number of durations in one histogram bucket.
type Bucket struct{ Last, Count int64 } // Last is the longest of them, in nanoseconds

// Buckets returns all nonempty buckets, in order. The buckets of two distributions add up
// to those of both together.
func (d *Distribution) Buckets() (list []Bucket) {
	slices.Sort(d.raw)
	d.each(func(_, to, n int64) {
		last := bucketEnd(min(to, Longest))
		if k := len(list) - 1; k >= 0 && list[k].Last == last {
			list[k].Count += n
			return
		}
		list = append(list, Bucket{last, n})
	})
	return list
}

// each calls f with every duration, or with the bounds of every bucket, and their number.
func (d *Distribution) each(f func(from, to, n int64)) {
	for _, ns := range d.raw {
		f(ns, ns, 1)
	}
	if d.full == nil {
		return
	}
	for _, bar := range d.full.Distribution() {
		if bar.Count > 0 {
			f(bar.From, bar.To, bar.Count)
		}
	}
}
