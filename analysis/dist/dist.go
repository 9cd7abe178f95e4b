// Package dist holds distributions of lengths of time: percentiles to three
// significant digits, correction for coordinated omission, and the log
// formats of HdrHistogram. It knows nothing of locks, and of many lengths it
// does not tell apart those above a day.
package dist

import (
	"math"
	"math/bits"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range and resolution of many lengths: a nanosecond to a day, three
// significant digits. A longer one counts as a day, though the longest of all
// keeps its own value.
const (
	Longest = int64(24 * 3600e9)
	digits  = 3
)

// few is how many lengths are kept as they are. A histogram takes 8 KB for each power of
// two up to the longest length, 300 KB for a day, which is too much for each of thousands
// of locks with a handful of waits.
const few = 2048

// Dist is a distribution of lengths in nanoseconds. The zero value is empty
// and ready to use.
type Dist struct {
	raw  []int64
	full *hdr.Histogram
	min  int64
	max  int64
	n    int64
}

// Add counts one length; a negative one counts as zero.
func (d *Dist) Add(ns int64) { d.AddN(ns, 1) }

// AddN counts n equal lengths.
func (d *Dist) AddN(ns, n int64) {
	if n <= 0 {
		return
	}
	ns = max(ns, 0)
	d.count(ns, ns, n)
	if d.full == nil && n == 1 && len(d.raw) < few-1 {
		d.raw = append(d.raw, ns)
		return
	}
	_ = d.room().RecordValues(min(ns, Longest), n) // fails only outside the range, and when full
}

// count keeps the number of lengths, which stays at the largest number there
// is, and the shortest and longest.
func (d *Dist) count(shortest, longest, n int64) {
	if d.n == 0 || shortest < d.min {
		d.min = shortest
	}
	d.max = max(d.max, longest)
	d.n += min(n, math.MaxInt64-d.n)
}

// Merge adds all lengths of another distribution.
func (d *Dist) Merge(o *Dist) {
	switch {
	case o.n == 0:
		return
	case o.full == nil:
		for _, ns := range o.raw {
			d.Add(ns)
		}
		return
	}
	d.count(o.min, o.max, o.n)
	d.room().Merge(o.full)
}

// room moves the lengths to a histogram that has room for all that are counted, and
// returns it.
func (d *Dist) room() *hdr.Histogram {
	longest := min(d.max, Longest)
	if d.full == nil || longest > d.full.HighestTrackableValue() {
		d.move(min(max(int64(1)<<bits.Len64(uint64(longest))-1, few), Longest))
	}
	return d.full
}

// histogram moves the lengths to a histogram of all lengths there may be, and returns it.
func (d *Dist) histogram() *hdr.Histogram {
	if d.full == nil || d.full.HighestTrackableValue() != Longest {
		d.move(Longest)
	}
	return d.full
}

// move moves the lengths to a histogram of lengths up to a longest one.
func (d *Dist) move(longest int64) {
	into := hdr.New(1, longest, digits)
	for _, ns := range d.raw {
		_ = into.RecordValue(min(ns, Longest))
	}
	if d.full != nil {
		into.Merge(d.full)
	}
	d.raw, d.full = nil, into
}

// Count returns how many lengths were added.
func (d *Dist) Count() int64 { return d.n }

// Min returns the shortest length, 0 when there is none.
func (d *Dist) Min() int64 { return d.min }

// Max returns the longest length, 0 when there is none.
func (d *Dist) Max() int64 { return d.max }

// Mean returns the mean length, to the histogram's resolution.
func (d *Dist) Mean() int64 {
	if d.n == 0 {
		return 0
	}
	if d.full != nil {
		return min(int64(d.full.Mean()), d.max)
	}
	sum := bits128{}
	for _, ns := range d.raw {
		sum.add(uint64(ns))
	}
	return int64(sum.div(uint64(d.n)))
}

// bits128 is a sum that lengths of centuries do not overflow.
type bits128 struct{ hi, lo uint64 }

func (s *bits128) add(v uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, v, 0)
	s.hi += carry
}

// div divides by n, which must be above the high word: it is, for n terms.
func (s *bits128) div(n uint64) uint64 {
	q, _ := bits.Div64(s.hi, s.lo, n)
	return q
}

// Percentile returns the least length at or below which q per cent of all
// lie, as HdrHistogram in Java has it since version 2.1.10. The library here
// rounds to the nearest place in order instead, so that of 90 lengths only 89
// would lie at or below the 99th percentile. It is 0 when there is none.
func (d *Dist) Percentile(q float64) int64 {
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

// place returns the place in order, from 1, of the least of n lengths at or
// below which q per cent lie. A last place less in q keeps products that are
// whole numbers, such as 7 % of 100, from being rounded up beyond.
func place(q float64, n int64) int64 {
	p := int64(math.Ceil(math.Nextafter(q, 0) / 100 * float64(n)))
	return min(max(p, 1), n)
}

// bucketStart returns the least length the histogram does not tell from ns:
// 2048 buckets of 1 ns, then 1024 for each further power of two.
func bucketStart(ns int64) int64 {
	shift := max(bits.Len64(uint64(ns))-11, 0)
	return ns >> shift << shift
}

// bucketEnd returns the greatest length the histogram does not tell from ns.
func bucketEnd(ns int64) int64 {
	shift := max(bits.Len64(uint64(ns))-11, 0)
	return ns>>shift<<shift + 1<<shift - 1
}
