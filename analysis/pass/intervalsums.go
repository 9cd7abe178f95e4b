package pass

import (
	"math"

	"contend/analysis"
	"contend/analysis/internal/times"
)

// intervalSums sums the running time in a cut by interval, for one visitor: threads start and
// stop running far more often than any sum needs.
type intervalSums struct {
	cut        times.Span
	from, step int64   // start and length of the first interval
	part       []int64 // by interval: running time of threads that run for a part of it, ns
	whole      []int64 // by interval: change in the number of threads that run for all of it
}

func newIntervalSums(to analysis.RunningVisitor, cut times.Span) *intervalSums {
	r := &intervalSums{cut: cut}
	if r.from, r.step = to.Intervals(); r.step <= 0 {
		r.step = math.MaxInt64
	}
	last := cut.End - 1 - r.from
	for last/r.step >= analysis.MaxIntervals { // longer intervals, if there were more
		r.step *= 2
	}
	r.part, r.whole = make([]int64, last/r.step+1), make([]int64, last/r.step+1)
	return r
}

// addThreads adds n threads that run in an interval of the cut. A negative number removes them.
func (r *intervalSums) addThreads(s times.Span, n int64) {
	lo, last := s.Start-r.from, s.End-1-r.from
	i, j := lo/r.step, last/r.step
	if i == j {
		r.part[i] += n * (s.End - s.Start)
		return
	}
	r.part[i] += n * (r.step - lo%r.step)
	r.part[j] += n * (last%r.step + 1)
	r.whole[i+1] += n
	r.whole[j] -= n
}

// deliver gives the sums to the visitor. Intervals in which the same threads run all the
// time are one call.
func (r *intervalSums) deliver(to analysis.RunningVisitor) {
	threads, lo := int64(0), r.cut.Start
	for i := 0; i < len(r.part); {
		threads += r.whole[i]
		ns, hi := r.part[i], r.cut.End
		for i++; i < len(r.part); i++ {
			if ns != 0 || r.part[i] != 0 || r.whole[i] != 0 {
				hi = r.from + int64(i)*r.step
				break
			}
		}
		if lo < hi {
			to.Running(lo, hi, ns+threads*(hi-lo))
			lo = hi
		}
	}
}
