package gate

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/compare"
	"contend/blame/cube"
	"contend/format"
)

// peaks sums the waiting for each class of locks, and the running time, by interval.
type peaks struct {
	*cube.Cube
	intervalNs int64 // length of an interval
}

func newPeaks(ns int64) *peaks {
	return &peaks{
		cube.Over(
			[]blame.Column{{Key: blame.ByClass}},
			ns,
			cube.Limits{Bins: analysis.MaxIntervals, Cells: math.MaxInt},
		),
		ns,
	}
}

// tooMany reports whether the intervals had to be lengthened.
func (p *peaks) tooMany() bool { return p.BinNs > p.intervalNs }

// length returns by how much the waiting of an interval is divided: its running time or its length. It is 0 of an
// interval that does not count, as a last one of less than half the length, unless it is the only one.
func (p *peaks) length(bin int32, perRunning bool) int64 {
	length := min(p.intervalNs, p.End-p.Start-int64(bin)*p.intervalNs)
	switch {
	case bin > 0 && length*2 < p.intervalNs:
		return 0
	case !perRunning:
		return length
	case int(bin) < len(p.RunningNs):
		return p.RunningNs[bin]
	}
	return 0
}

// intervals returns how many intervals count.
func (p *peaks) intervals(perRunning bool) (n int) {
	for bin := int32(0); int64(bin)*p.intervalNs < p.End-p.Start; bin++ {
		if p.length(bin, perRunning) > 0 {
			n++
		}
	}
	return n
}

// highest returns the largest ratio of the waiting in an interval to its length, and its standard deviation by
// that of the ratios of all n intervals, as that of the largest of n normal ones tends to be (Gumbel's law):
//
//	deviation of the largest = pi / sqrt(6) deviation / sqrt(2 ln n)
//
// Short intervals have a longer tail: it is at least what the tenth largest tells, as of the longest wait. It is +Inf
// if there is only one interval.
func (p *peaks) highest(waits map[int32]int64, n int, perRunning bool) (ratio, deviation float64) {
	sum, squares := 0.0, 0.0
	var ratios []float64
	for _, bin := range slices.Sorted(maps.Keys(waits)) {
		if length := p.length(bin, perRunning); length > 0 {
			of := float64(waits[bin]) / float64(length)
			sum += of
			squares += of * of
			ratios = append(ratios, of)
		}
	}
	slices.SortFunc(ratios, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(ratios) > 0 {
		ratio = ratios[0]
	}
	if n < 2 {
		return ratio, math.Inf(1)
	}
	deviation = math.Sqrt(max(squares-sum*sum/float64(n), 0) / float64(n-1))
	deviation *= math.Pi / math.Sqrt(6) / math.Sqrt(2*math.Log(float64(n)))
	if n >= tenth {
		deviation = max(deviation, tailDeviation(ratios))
	}
	return ratio, deviation
}

// byName sums the classes of one stable name by interval, as rules without intervals do, and
// all classes together.
func (p *peaks) byName() (out map[string]map[int32]int64, all map[int32]int64) {
	out, all = map[string]map[int32]int64{}, map[int32]int64{}
	for i := range p.Rows {
		r := &p.Rows[i]
		class, _ := p.Text(0, r.Key[0])
		name := analysis.StableName(class)
		if out[name] == nil {
			out[name] = map[int32]int64{}
		}
		for _, cell := range r.Cells {
			out[name][cell.Bin] += cell.Ns
			all[cell.Bin] += cell.Ns
		}
	}
	return out, all
}

// peak measures the highest interval of each class the pattern matches, or of all locks
// together; of several runs, the mean of theirs.
func (r *Rule) peak(runs []*Run) map[string]measured {
	values, unknown := map[string][]compare.Rate{}, false
	perRunning := r.unit() == Ratio
	for _, run := range runs {
		p := run.peaks[r.interval]
		unknown = unknown || p.tooMany() || run.Stats.Unit != format.UnitTime // an instant is no interval
		named, all := p.byName()
		n := p.intervals(perRunning)
		if r.subject == Total {
			named = map[string]map[int32]int64{Total: all}
		}
		for name, waits := range named {
			if r.subject == Total || r.pattern.MatchString(name) {
				ratio, deviation := p.highest(waits, n, perRunning)
				of := compare.Rate{Value: ratio, Within: deviation, WaitNs: 1, Traces: 1}
				values[name] = append(values[name], of)
			}
		}
	}
	for name, list := range values {
		for len(list) < len(runs) { // no thread waited for it in the others
			list = append(list, compare.Rate{Traces: 1})
		}
		values[name] = list
	}
	return means(values, func(string) bool { return unknown })
}
