package whatif

import (
	"math"
	"slices"
)

// windows is the number of intervals of a replay whose sums are compared for their variance.
const windows = 10

// standardErrors is the number of standard errors by which a range is widened on either side.
const standardErrors = 2

// trimmedVariance corrects for dropping the largest squared difference: the expected remaining
// share of the variance of normal windows, by simulation.
const trimmedVariance = 0.697

// spread returns the relative standard error of the ratio of two sums, from their variance
// between windows: the trace is one run of the program, and the prediction is about another.
func spread(a, b *[windows]int64) float64 { return math.Hypot(standardError(a), standardError(b)) }

// standardError returns the relative standard error of the mean of some windows. It rests on
// the differences of neighbours, because phases of a program are no noise. The largest
// difference is dropped, as it may be the start of a phase.
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

// throughputNoise returns the relative difference in throughput between two runs of a recorded
// program that chance explains, from the variance of the time in which its threads did not
// wait.
func (c *Collector) throughputNoise() float64 {
	var ran [windows]int64
	part := max((c.end-c.start)/windows, 1)
	for i := range c.holds {
		if t := &c.holds[i]; t.thread != unknown {
			ran[min(t.start/part, windows-1)] -= t.start - t.asked
		}
	}
	for i := range ran {
		ran[i] = max(ran[i]+part*int64(c.lockingThreads), 0)
	}
	return standardErrors * spread(&ran, &ran)
}

// waitingShare returns the share of waiting in the time of the threads that acquire locks.
func (c *Collector) waitingShare() float64 {
	return float64(c.waitNs) / max(float64(c.end-c.start)*float64(c.lockingThreads), 1)
}
