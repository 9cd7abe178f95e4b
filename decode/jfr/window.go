package jfr

import (
	"math"
	"math/bits"

	"contend/format"
)

// window bounds the times of a chunk's events, in ticks of its clock. If it is not too
// long, the upper bits of all times within it are the same: high has these bits as they are
// in the first eight bytes of a compressed integer, and mask selects them, so that one
// comparison accepts a time.
type window struct {
	floor       int64 // no event began before
	first, last int64 // each ended between
	high, mask  uint64
}

// These are how long before its chunk an event may have begun, and have ended, in seconds. JDK 25
// writes a sample of a thread when that thread runs on, which takes seconds where there are far
// more threads than processors.
const (
	oldest = 10 * 365 * 86400
	late   = 10
)

// window returns the window of a chunk whose checkpoints were written up to latest. If the
// chunk is not finished, the end of its last event is not known.
func (h *header) window(latest int64, unfinished bool) window {
	age := format.Times(oldest, h.ticksPerSecond)
	w := window{
		floor: minus(h.startTicks, age),
		first: minus(h.startTicks, format.Times(late, h.ticksPerSecond)),
		last:  plus(h.startTicks, age),
		mask:  math.MaxUint64,
	}
	if h.startTicks >= 0 {
		w.floor = max(w.floor, 0) // clocks count from the start of the machine
	}
	if unfinished || h.durationNanos <= 0 {
		return w
	}
	w.last = plus(h.startTicks, h.ticks(h.durationNanos))
	if latest <= h.startTicks { // the clocks of virtual machines may be wrong by half
		latest = plus(w.last, h.ticks(h.durationNanos))
	}
	w.last = plus(max(w.last, latest), h.ticksPerSecond)
	n := septets(w.last)
	if h.startTicks <= 0 || n > 8 || septets(h.startTicks) != n {
		return w
	}
	same := (uint64(1)<<(7*n) - 1) &^ (1<<bits.Len64(uint64(h.startTicks^w.last)) - 1)
	goOn := uint64(tops) >> (64 - 8*n)
	w.mask = spread(same) | goOn
	w.high = spread(same&uint64(w.last)) | goOn&^(0x80<<(8*(n-1)))
	return w
}

// holds reports whether an event may have lasted from one instant to another. A stale one
// may have ended before the chunk: JDK 17 writes jdk.ActiveRecording in each chunk with
// the times it had in the second, and JDK 25 begins checkpoints when the chunk before ends.
func (w *window) holds(start, end int64, stale bool) bool {
	return w.floor <= start && start <= end && (stale || w.first <= end) && end <= w.last
}

// septets is how many bytes a compressed integer above zero takes.
func septets(v int64) int { return (bits.Len64(uint64(v)) + 6) / 7 }

// spread moves each seven bits into a byte of their own.
func spread(v uint64) (word uint64) {
	for i := range 8 {
		word |= v >> (7 * i) & 0x7f << (8 * i)
	}
	return word
}

// ticks converts nanoseconds; an overflow becomes the largest number of ticks.
func (h *header) ticks(nanos int64) int64 {
	hi, lo := bits.Mul64(uint64(max(nanos, 0)), uint64(h.ticksPerSecond))
	if hi >= 1e9 {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, 1e9)
	return int64(min(q, math.MaxInt64))
}
