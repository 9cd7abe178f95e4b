package durations

import (
	"math"
	"math/bits"
	"slices"

	"contend/format"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range and resolution of a large distribution: a nanosecond to a day, three
// significant digits. A longer duration counts as a day, but the maximum is exact.
const (
	Longest = int64(24 * 3600e9)
	digits  = 3
)

// listMax is the number of durations up to which they are listed; more are a histogram. A
// histogram takes 8 KB for each power of two up to the longest duration, 300 KB for a day:
// too much for each of thousands of locks with a handful of waits.
const listMax = 2048

// Distribution is a distribution of durations in nanoseconds. The zero value is empty and ready to
// use.
type Distribution struct {
	raw  []int64
	full *hdr.Histogram
	min  int64
	max  int64
	n    int64
}

// Record adds one duration; a negative one counts as zero.
func (d *Distribution) Record(ns int64) { d.RecordN(ns, 1) }

// RecordN adds n equal durations.
func (d *Distribution) RecordN(ns, n int64) {
	if n <= 0 {
		return
	}
	ns = max(ns, 0)
	d.count(ns, ns, n)
	if d.full == nil && n == 1 && len(d.raw) < listMax-1 {
		d.raw = append(d.raw, ns)
		return
	}
	_ = d.room().RecordValues(min(ns, Longest), n) // fails only outside the range, and when full
}

// count updates the number of durations, which saturates, and the extremes.
func (d *Distribution) count(shortest, longest, n int64) {
	if d.n == 0 || shortest < d.min {
		d.min = shortest
	}
	d.max = max(d.max, longest)
	d.n += min(n, math.MaxInt64-d.n)
}

// Merge adds all durations of another distribution.
func (d *Distribution) Merge(o *Distribution) {
	switch {
	case o.n == 0:
		return
	case o.full == nil:
		for _, ns := range o.raw {
			d.Record(ns)
		}
		return
	}
	d.count(o.min, o.max, o.n)
	d.room().Merge(o.full)
}

// room returns the histogram, extended to all durations counted so far.
func (d *Distribution) room() *hdr.Histogram {
	longest := min(d.max, Longest)
	if d.full == nil || longest > d.full.HighestTrackableValue() {
		d.move(min(max(int64(1)<<bits.Len64(uint64(longest))-1, listMax), Longest))
	}
	return d.full
}

// histogram returns the histogram, extended to the full range.
func (d *Distribution) histogram() *hdr.Histogram {
	if d.full == nil || d.full.HighestTrackableValue() != Longest {
		d.move(Longest)
	}
	return d.full
}

// move moves the durations to a histogram with the given maximum.
func (d *Distribution) move(longest int64) {
	into := hdr.New(1, longest, digits)
	for _, ns := range d.raw {
		_ = into.RecordValue(min(ns, Longest))
	}
	if d.full != nil {
		into.Merge(d.full)
	}
	d.raw, d.full = nil, into
}

// Count returns the number of durations.
func (d *Distribution) Count() int64 { return d.n }

// Min returns the shortest duration; 0 if empty.
func (d *Distribution) Min() int64 { return d.min }

// Max returns the longest duration; 0 if empty.
func (d *Distribution) Max() int64 { return d.max }

// Mean returns the mean duration, to the histogram's resolution.
func (d *Distribution) Mean() int64 {
	if d.n == 0 {
		return 0
	}
	if d.full != nil {
		return min(int64(d.full.Mean()), d.max)
	}
	whole, rest := int64(0), int64(0) // a sum of all may not fit
	for _, ns := range d.raw {
		whole, rest = whole+ns/d.n, rest+ns%d.n
	}
	return whole + rest/d.n
}

// Percentile returns the smallest duration d such that q per cent of all are at most d,
// like HdrHistogram for Java since version 2.1.10. The Go library rounds to the nearest
// rank instead: of 90 durations only 89 would be at most the 99th percentile. It returns 0
// if empty.
func (d *Distribution) Percentile(q float64) int64 {
	if d.n == 0 {
		return 0
	}
	if d.full != nil {
		n := d.full.TotalCount()
		return min(d.full.ValueAtQuantile(100*float64(place(q, n))/float64(n)), d.max)
	}
	slices.Sort(d.raw)
	return d.raw[place(q, d.n)-1]
}

// place returns the rank, from 1, of the q-th percentile of n durations. It rounds q down
// by one unit in the last place, so that whole products such as 7 % of 100 are not rounded
// up.
func place(q float64, n int64) int64 {
	p := int64(math.Ceil(math.Nextafter(q, 0) / 100 * float64(n)))
	return min(max(p, 1), n)
}

// bucketStart returns the smallest duration in the histogram bucket of ns: 2048 buckets of
// 1 ns, then 1024 for each further power of two.
func bucketStart(ns int64) int64 {
	shift := max(bits.Len64(uint64(ns))-11, 0)
	return ns >> shift << shift
}

// bucketEnd returns the largest duration in the histogram bucket of ns.
func bucketEnd(ns int64) int64 {
	shift := max(bits.Len64(uint64(ns))-11, 0)
	return ns>>shift<<shift + 1<<shift - 1
}

// Corrected returns the distribution with the durations that a stalled measurement missed,
// see AddCorrected. Durations have the histogram's resolution once they are in one. The
// result is empty unless expected is positive.
func (d *Distribution) Corrected(expected int64) *Distribution {
	out := &Distribution{}
	if expected > 0 {
		d.each(func(_, to, n int64) { out.AddCorrected(min(to, d.max), n, expected) })
	}
	return out
}

// AddCorrected adds n equal durations. For each, it also adds the shorter ones that a
// measurement every expected nanoseconds would have made during it: ns-expected,
// ns-2*expected and so on, down to expected (Tene's rule for coordinated omission). It adds
// whole buckets, so its cost is bounded by the histogram's size for any value of expected.
func (d *Distribution) AddCorrected(ns, n, expected int64) {
	d.RecordN(ns, n)
	if expected <= 0 || n <= 0 {
		return
	}
	for missed := ns - expected; missed >= expected; {
		k := (missed-max(bucketStart(missed), expected))/expected + 1
		d.RecordN(missed, format.Times(k, n))
		missed -= k * expected
	}
}
