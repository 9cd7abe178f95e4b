package analysis

import (
	"math"
	"math/bits"

	"contend/format"
)

// A trace's times lie between 1823 and 2116, so that any two of them are less
// than int64 holds apart. Others are no times but damage, and moved to the
// nearer end: a wait may then be too long, but is not negative.
const (
	earliest = -1 << 62
	latest   = 1<<62 - 1
)

// maxTime is behind all times.
const maxTime = math.MaxInt64

// wildly reports whether an instant is beyond all times of traces.
func wildly(t int64) bool { return uint64(t-earliest) > latest-earliest }

// clamp moves the times of an event to where times may be; it reports whether
// that changed any.
func clamp(ev *format.Event) bool {
	if !wildly(ev.Time) && !wildly(ev.End) && !wildly(ev.Intended) && ev.Weight <= latest && ev.Again <= latest {
		return false
	}
	for _, t := range [...]*int64{&ev.Time, &ev.End, &ev.Intended} {
		*t = min(max(*t, earliest), latest)
	}
	ev.Weight = min(ev.Weight, latest)
	ev.Again = min(ev.Again, latest)
	return true
}

// wildWarning says how many events had wild times.
func wildWarning(n int64) []format.Warning {
	if n == 0 {
		return nil
	}
	return []format.Warning{{Code: "wild-times", Text: format.Say(
		"events with times before 1824 or after 2115, which no clock gives: %v; what is summed of them is wrong", n)}}
}

// overflows reports whether sum and count times length, both above 0, are more
// than int64 holds.
func overflows(sum, length, count int64) bool {
	high, low := bits.Mul64(uint64(length), uint64(count))
	return high != 0 || low > uint64(maxTime-max(sum, 0))
}

// overflowWarning says that sums of thread-time are wrong.
func overflowWarning(overflown bool) []format.Warning {
	if !overflown {
		return nil
	}
	return []format.Warning{{Code: "overflow", Text: "the running time of all threads together is more than 292 years: some times are damaged, and all sums are wrong"}}
}
