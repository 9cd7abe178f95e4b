package gate

import (
	"contend/analysis"
	"contend/blame"
)

// mostIntervals bounds what a short interval of a long trace may take: twelve
// days of seconds.
const mostIntervals = 1 << 20

// peaks is a visitor that sums the waiting for each class of locks, and the
// running time, by interval.
type peaks struct {
	ns      int64 // length of an interval
	start   int64
	last    int64
	sym     *analysis.Symbols
	running []int64
	classes map[uint32][]int64
	all     []int64
	tooMany bool
}

// Begin implements analysis.Visitor.
func (p *peaks) Begin(sym *analysis.Symbols, start int64) {
	*p = peaks{ns: p.ns, sym: sym, start: start, last: start, classes: map[uint32][]int64{}}
}

// Running implements analysis.RunningVisitor.
func (p *peaks) Running(from, to, ns int64) { p.add(&p.running, from, to, ns, 1) }

// Slice implements analysis.Visitor.
func (p *peaks) Slice(s *analysis.Slice) { p.QueueSlice(s, len(s.Waiters)) }

// QueueChanged implements analysis.QueueVisitor.
func (p *peaks) QueueChanged(*analysis.QueueChange) {}

// QueueSlice implements analysis.QueueVisitor.
func (p *peaks) QueueSlice(s *analysis.Slice, n int) {
	class := p.sym.Class(s.Lock)
	list := p.classes[class]
	p.add(&list, s.Start, s.End, s.Length(), int64(n))
	p.classes[class] = list
	p.add(&p.all, s.Start, s.End, s.Length(), int64(n))
}

// add spreads ns of each of so many threads over the intervals of [from, to).
func (p *peaks) add(sums *[]int64, from, to, ns, threads int64) {
	p.last = max(p.last, to)
	for at := from; at < to; {
		i := (at - p.start) / p.ns
		if i < 0 || i >= mostIntervals {
			p.tooMany = true
			return
		}
		for int64(len(*sums)) <= i {
			*sums = append(*sums, 0)
		}
		edge := at + min(p.ns-(at-p.start)%p.ns, to-at)
		(*sums)[i] += threads * analysis.Spread(ns, from, to, at, edge)
		at = edge
	}
}

// highest returns the most that any interval has of some waiting, over its
// running time or over its length. A rest at the end of less than half an
// interval counts where it is all there is.
func (p *peaks) highest(waits []int64, perRunning bool) (most float64) {
	for i, ns := range waits {
		whole := min(p.ns, p.last-p.start-int64(i)*p.ns)
		if i > 0 && whole*2 < p.ns {
			break
		}
		if perRunning {
			whole = 0
			if i < len(p.running) {
				whole = p.running[i]
			}
		}
		if whole > 0 {
			most = max(most, float64(ns)/float64(whole))
		}
	}
	return most
}

// byName sums the classes that have one name but for what a JVM draws anew at
// each start, as the rules without intervals do.
func (p *peaks) byName() map[string][]int64 {
	out := map[string][]int64{}
	for class, waits := range p.classes {
		name := blame.StableName(p.sym.Classes().Name(class))
		sums := out[name]
		for i, ns := range waits {
			if i == len(sums) {
				sums = append(sums, 0)
			}
			sums[i] += ns
		}
		out[name] = sums
	}
	return out
}

// peak measures the highest interval of each class the pattern names, or of all
// locks together; of several runs, the mean of theirs.
func (r *Rule) peak(runs []*Run) map[string]measured {
	values, none := map[string][]float64{}, false
	for _, run := range runs {
		p := run.peaks[r.interval]
		none = none || p.tooMany
		for name, waits := range p.byName() {
			if r.subject != Total && r.pattern.MatchString(name) {
				values[name] = append(values[name], p.highest(waits, r.unit() == Ratio))
			}
		}
		if r.subject == Total {
			values[Total] = append(values[Total], p.highest(p.all, r.unit() == Ratio))
		}
	}
	out := make(map[string]measured, len(values))
	for name, list := range values {
		for len(list) < len(runs) { // nobody waited for it in the others
			list = append(list, 0)
		}
		m := mean(list)
		m.none = none
		out[name] = m
	}
	return out
}
