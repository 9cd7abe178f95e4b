package whatif

import (
	"math"
	"slices"
)

// windows are the parts of a replay that are compared, for how much they vary.
const windows = 10

// standardErrors is how many of them a range reaches beyond its ends.
const standardErrors = 2

// trimmedVariance is the share of the variance that the squared differences of windows keep on
// average when the largest is left out: that of normal windows, by simulation.
const trimmedVariance = 0.697

// spread is the standard error of the ratio of two sums, as a part of it, from
// how much each varies from window to window: the trace is one run of the
// program, and what is predicted would be another.
func spread(a, b *[windows]int64) float64 { return math.Hypot(standardError(a), standardError(b)) }

// standardError is that of the mean of some windows, as a part of it. It goes by
// how far neighbours differ: that a program has phases is no chance. Where it
// began is none either, so the greatest difference is left out, and by what the
// others show less for that the error is raised.
func standardError(parts *[windows]int64) float64 {
	mean := float64(sum(parts)) / windows
	if mean == 0 {
		return 0
	}
	var squares [windows - 1]float64
	for i := range squares {
		d := float64(parts[i+1]-parts[i]) / mean
		squares[i] = d * d / 2
	}
	slices.Sort(squares[:])
	square := 0.0
	for _, d := range squares[:len(squares)-1] {
		square += d
	}
	return math.Sqrt(square / (windows - 2) / trimmedVariance / windows)
}

func sum(parts *[windows]int64) (n int64) {
	for _, w := range parts {
		n += w
	}
	return n
}

// unrest is how much the throughput of two runs of a recorded program may differ
// by chance, from how much the time in which its threads did not wait varies.
func (c *Collector) unrest() float64 {
	var ran [windows]int64
	part := max((c.end-c.start)/windows, 1)
	for i := range c.tenures {
		if t := &c.tenures[i]; t.thread >= 0 {
			ran[min(t.start/part, windows-1)] -= t.start - t.asked
		}
	}
	for i := range ran {
		ran[i] = max(ran[i]+part*int64(c.takers), 0)
	}
	return standardErrors * spread(&ran, &ran)
}

// waitingPart returns how much of the time of threads that take locks is waiting.
func (c *Collector) waitingPart() float64 {
	return float64(c.waitNs) / max(float64(c.end-c.start)*float64(c.takers), 1)
}
