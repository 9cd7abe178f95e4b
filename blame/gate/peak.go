package gate

import (
	"math"

	"contend/analysis"
	"contend/blame"
	"contend/blame/compare"
	"contend/blame/cube"
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

// highest returns the largest ratio of any interval's waiting to its running time or its
// length. A last interval of less than half the length counts only if it is the only one.
func (p *peaks) highest(waits map[int32]int64, perRunning bool) (ratio float64) {
	for i, ns := range waits {
		length := min(p.intervalNs, p.End-p.Start-int64(i)*p.intervalNs)
		if i > 0 && length*2 < p.intervalNs {
			continue
		}
		if perRunning {
			length = 0
			if int(i) < len(p.RunningNs) {
				length = p.RunningNs[i]
			}
		}
		if length > 0 {
			ratio = max(ratio, float64(ns)/float64(length))
		}
	}
	return ratio
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
	for _, run := range runs {
		p := run.peaks[r.interval]
		unknown = unknown || p.tooMany()
		named, all := p.byName()
		if r.subject == Total {
			named = map[string]map[int32]int64{Total: all}
		}
		for name, waits := range named {
			if r.subject == Total || r.pattern.MatchString(name) {
				values[name] = append(values[name], alone(p.highest(waits, r.unit() == Ratio)))
			}
		}
	}
	for name, list := range values {
		for len(list) < len(runs) { // no thread waited for it in the others
			list = append(list, alone(0))
		}
		values[name] = list
	}
	return means(values, func(string) bool { return unknown })
}

// alone is the value of a run that does not show its variation.
func alone(value float64) compare.Rate {
	return compare.Rate{Value: value, Within: math.Inf(1), WaitNs: 1, Traces: 1}
}
