package analysis

// runningSums is the running time of threads by interval. Visitors that need no more spare
// the analysis from ordering the instants at which thousands of threads start and stop
// running.
type runningSums struct {
	from, to, step int64
	part           []int64 // by interval: running time of threads that run for a part of it, ns
	whole          []int64 // by interval: change in the number of threads that run for all of it
	at             int     // the interval last looked up,
	begins, ends   int64   // and its bounds
}

// maxIntervals is the largest number of intervals; defaultInterval is their length if any
// will do, ns.
const (
	maxIntervals    = 1 << 20
	defaultInterval = int64(1e9)
)

// newRunningSums returns sums for some threads in the cut of the filter. It returns nil if
// a visitor needs more, or there are too many intervals.
func (e *emitter) newRunningSums(cut span, threads int) *runningSums {
	step := int64(0)
	for _, v := range asking[RunningVisitor](e) {
		one, ok := v.(IntervalVisitor)
		if !ok || one.Interval() != 0 && step != 0 && one.Interval() != step {
			return nil
		}
		step = max(step, one.Interval())
	}
	if step == 0 {
		step = defaultInterval
	}
	if cut.start >= cut.end || (cut.end-cut.start-1)/step >= maxIntervals || overflows(0, step, int64(threads)) {
		return nil
	}
	n := (cut.end-cut.start-1)/step + 1
	return &runningSums{from: cut.start, to: cut.end, step: step, part: make([]int64, n), whole: make([]int64, n+1)}
}

// add adds an interval in which a thread ran.
func (r *runningSums) add(from, to int64) {
	if from, to = max(from, r.from), min(to, r.to); from >= to {
		return
	}
	first := r.interval(from)
	if to <= r.ends { // the common case
		r.part[first] += to - from
		return
	}
	r.part[first] += r.ends - from
	last := r.interval(to - 1)
	r.part[last] += to - r.begins
	r.whole[first+1]++
	r.whole[last]--
}

// interval returns the number of the interval that holds an instant.
func (r *runningSums) interval(t int64) int {
	if t < r.begins || t >= r.ends {
		r.at = int((t - r.from) / r.step)
		r.begins = r.from + int64(r.at)*r.step
		r.ends = r.begins + min(r.step, r.to-r.begins)
	}
	return r.at
}

// book books the sums, interval by interval.
func (r *runningSums) book(e *emitter) {
	whole := int64(0)
	for i, ns := range r.part {
		from := r.from + int64(i)*r.step
		to := from + min(r.step, r.to-from)
		whole += r.whole[i]
		e.bookRunning(from, to, ns+whole*(to-from))
	}
}
