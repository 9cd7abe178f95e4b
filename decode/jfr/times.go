package jfr

import (
	"cmp"
	"math"
	"math/bits"
	"strings"
)

var units = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}

// nanoseconds reads a setting such as "20 ms", or "20ms" as programs set it; 0
// if it is none.
func nanoseconds(s string) int64 {
	unit := strings.TrimLeft(s, "0123456789")
	return times(number(s[:len(s)-len(unit)]), units[strings.TrimSpace(unit)])
}

// timespans are the units jdk.jfr.Timespan may give a field, in nanoseconds;
// ticks are of the recording's clock.
var timespans = map[string]int64{"TICKS": 0, "NANOSECONDS": 1, "MICROSECONDS": 1e3, "MILLISECONDS": 1e6, "SECONDS": 1e9}

// timespan converts a field's value to nanoseconds, which it is where the metadata
// names no unit. The same field has other units in other versions: JDK 17 counts
// sleeps in milliseconds.
func (s *symbols) timespan(v int64, unit string) int64 {
	if unit == "TICKS" {
		return s.head.nanos(v)
	}
	return times(v, timespans[cmp.Or(unit, "NANOSECONDS")])
}

// times multiplies a duration; the longest there is where it is out of
// range.
func times(n, unit int64) int64 {
	hi, lo := bits.Mul64(uint64(max(n, 0)), uint64(unit))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
