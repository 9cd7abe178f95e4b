package lockstat

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// The range and resolution of the percentiles: a nanosecond to a day, three
// significant digits. Longer waits count as a day.
const (
	longest = int64(24 * 3600e9)
	digits  = 3
)

// few is how many lengths are kept as they are. A histogram takes 300 KB,
// which is too much for each of thousands of locks with a handful of waits.
const few = 2048

// lengths is the distribution of whole waits, in nanoseconds.
type lengths struct {
	raw  []int64
	full *hdr.Histogram
}

func (l *lengths) add(ns int64) {
	if l.full == nil {
		if l.raw = append(l.raw, ns); len(l.raw) < few {
			return
		}
		l.full, l.raw = fill(l.raw), nil
		return
	}
	record(l.full, ns)
}

// histogram returns the distribution, nil when there were no waits.
func (l *lengths) histogram() *hdr.Histogram {
	if l.full == nil && len(l.raw) > 0 {
		return fill(l.raw)
	}
	return l.full
}

func fill(raw []int64) *hdr.Histogram {
	h := hdr.New(1, longest, digits)
	for _, ns := range raw {
		record(h, ns)
	}
	return h
}

func record(h *hdr.Histogram, ns int64) {
	_ = h.RecordValue(min(ns, longest)) // fails only outside the range
}
