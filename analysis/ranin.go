package analysis

// ranIn is the running time of threads by interval. Who sums it so need not be told of each
// instant at which one of thousands of threads begins to run or ceases, and so these need
// not be put in order.
type ranIn struct {
	from, to, step int64
	part           []int64 // by interval: of stretches that fill a part of it, ns
	whole          []int64 // by interval: how many more stretches fill it than the one before
	at             int     // the interval that was asked for last,
	begins, ends   int64   // and when it does
}

// Of how many intervals running time is summed at most, and how long they are where any
// length will do.
const (
	mostRanIn = 1 << 20
	ranInStep = int64(1e9)
)

// newRanIn returns sums for some threads in the cut of the filter; nil where a visitor
// wants to know more, or there are too many intervals.
func (e *emitter) newRanIn(cut span, threads int) *ranIn {
	step := int64(0)
	for _, v := range asking[RunningVisitor](e) {
		one, ok := v.(IntervalVisitor)
		if !ok || one.Interval() != 0 && step != 0 && one.Interval() != step {
			return nil
		}
		step = max(step, one.Interval())
	}
	if step == 0 {
		step = ranInStep
	}
	if cut.start >= cut.end || (cut.end-cut.start-1)/step >= mostRanIn || overflows(0, step, int64(threads)) {
		return nil
	}
	n := (cut.end-cut.start-1)/step + 1
	return &ranIn{from: cut.start, to: cut.end, step: step, part: make([]int64, n), whole: make([]int64, n+1)}
}

// add takes a stretch in which a thread ran.
func (r *ranIn) add(from, to int64) {
	if from, to = max(from, r.from), min(to, r.to); from >= to {
		return
	}
	first := r.interval(from)
	if to <= r.ends { // mostly
		r.part[first] += to - from
		return
	}
	r.part[first] += r.ends - from
	last := r.interval(to - 1)
	r.part[last] += to - r.begins
	r.whole[first+1]++
	r.whole[last]--
}

// interval returns the one an instant lies in.
func (r *ranIn) interval(t int64) int {
	if t < r.begins || t >= r.ends {
		r.at = int((t - r.from) / r.step)
		r.begins = r.from + int64(r.at)*r.step
		r.ends = r.begins + min(r.step, r.to-r.begins)
	}
	return r.at
}

// book books the sums, interval by interval.
func (r *ranIn) book(e *emitter) {
	whole := int64(0)
	for i, ns := range r.part {
		from := r.from + int64(i)*r.step
		to := from + min(r.step, r.to-from)
		whole += r.whole[i]
		e.ranTogether(from, to, ns+whole*(to-from))
	}
}
