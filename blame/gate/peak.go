package gate

import (
	"math"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
)

// mostIntervals bounds what a short interval of a long trace may take: twelve
// days of seconds.
const mostIntervals = 1 << 20

// peaks sums the waiting for each class of locks, and the running time, by interval.
type peaks struct {
	*cube.Cube
	ns int64 // length of an interval
}

func newPeaks(ns int64) *peaks {
	return &peaks{cube.Over([]blame.Column{{Key: blame.ByClass}}, ns, cube.Limits{Bins: mostIntervals, Cells: math.MaxInt}), ns}
}

// tooMany reports whether intervals had to be made longer.
func (p *peaks) tooMany() bool { return p.BinNs > p.ns }

// highest returns the most that any interval has of some waiting, over its
// running time or over its length. A rest at the end of less than half an
// interval counts where it is all there is.
func (p *peaks) highest(waits map[int32]int64, perRunning bool) (most float64) {
	for i, ns := range waits {
		whole := min(p.ns, p.End-p.Start-int64(i)*p.ns)
		if i > 0 && whole*2 < p.ns {
			continue
		}
		if perRunning {
			whole = 0
			if int(i) < len(p.RunningNs) {
				whole = p.RunningNs[i]
			}
		}
		if whole > 0 {
			most = max(most, float64(ns)/float64(whole))
		}
	}
	return most
}

// byName sums the classes that have one name but for what a JVM draws anew at
// each start, as the rules without intervals do, by interval, and all of them together.
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

// peak measures the highest interval of each class the pattern names, or of all
// locks together; of several runs, the mean of theirs.
func (r *Rule) peak(runs []*Run) map[string]measured {
	values, none := map[string][]float64{}, false
	for _, run := range runs {
		p := run.peaks[r.interval]
		none = none || p.tooMany()
		named, all := p.byName()
		if r.subject == Total {
			named = map[string]map[int32]int64{Total: all}
		}
		for name, waits := range named {
			if r.subject == Total || r.pattern.MatchString(name) {
				values[name] = append(values[name], p.highest(waits, r.unit() == Ratio))
			}
		}
	}
	for name, list := range values {
		values[name] = append(list, make([]float64, len(runs)-len(list))...) // no thread waited for it in the others
	}
	return means(values, func(string) bool { return none })
}
