package waits

import (
	"regexp"

	"contend/analysis"
	"contend/analysis/durations"
	"contend/blame"
	"contend/format"
)

// Lengths are the distributions of the waits of one row, in nanoseconds. A sampled wait has
// bounds only: at least from the first sample that shows it to the last, at most from the
// sample before these to the sample after.
type Lengths struct {
	Exact     durations.Distribution // waits recorded from beginning to end
	Corrected durations.Distribution // exact, corrected for coordinated omission; empty unless asked for
	AtLeast   durations.Distribution // sampled waits
	AtMost    durations.Distribution
	Open      int64 // sampled waits cut by the edge of the trace, the filter or a gap: AtMost ends there
}

// Waits returns the number of recorded and sampled waits.
func (l *Lengths) Waits() int64 { return l.Exact.Count() + l.AtLeast.Count() }

// Merge adds the waits of another row.
func (l *Lengths) Merge(o *Lengths) {
	l.Exact.Merge(&o.Exact)
	l.Corrected.Merge(&o.Corrected)
	l.AtLeast.Merge(&o.AtLeast)
	l.AtMost.Merge(&o.AtMost)
	l.Open += o.Open
}

// Row is one combination of keys.
type Row struct {
	Keys       []string
	Start, End int64 // the interval in which its waits begin, ns; both 0 for the whole trace
	Lengths    *Lengths
}

// Options of a collector.
type Options struct {
	By         string // comma-separated keys
	ExpectedNs int64  // expected interval between measurements, for the correction of coordinated omission; 0: none
	IntervalNs int64  // length of the intervals that have rows of their own; 0: none

	App *regexp.Regexp // the program's own code, see blame.Resolver.App
}

// Collector is a visitor that measures the length of every wait. It counts whole waits only
// and estimates nothing: the length of a sampled wait is given by its bounds.
type Collector struct {
	analysis.AnyQueue
	by       []blame.Key
	expected int64
	interval int64

	keys       blame.Resolver
	start      int64
	index      *blame.Rows
	rows       []*Lengths // by number in index
	total      Lengths
	byInterval map[rowInterval]*Lengths
	open       map[format.ThreadID]*sampledWait
}

// rowInterval is one row in one interval.
type rowInterval struct {
	interval int64
	row      int
}

// sampledWait is the latest sampled wait of a thread.
type sampledWait struct {
	going         bool // it may have further samples
	row           int
	before, first int64
	last, after   int64
	edge          bool // there is no sample before or after it
}

// New returns an empty collector. The error is a wrong list of keys.
func New(o Options) (*Collector, error) {
	by, err := blame.ParseKeys(o.By, blame.Lengths)
	if err != nil {
		return nil, err
	}
	c := &Collector{
		by:         by,
		expected:   o.ExpectedNs,
		interval:   o.IntervalNs,
		byInterval: map[rowInterval]*Lengths{},
		open:       map[format.ThreadID]*sampledWait{},
	}
	c.keys.App(o.App)
	c.index = blame.NewRows(&c.keys, blame.Columns(by, false))
	return c, nil
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.keys.Begin(sym)
	c.start = start
}

// Slice implements analysis.Visitor. A wait counts in the slice in which it begins.
func (c *Collector) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		w := &s.Waiters[i]
		switch {
		case w.Again: // it was counted
		case s.Sample.Taken:
			c.addSample(s, w)
		case w.First:
			c.addWait(c.row(s.Lock, w), s.Start, func(l *Lengths) {
				l.Exact.Record(w.WaitNs)
				if c.expected > 0 {
					l.Corrected.AddCorrected(w.WaitNs, 1, c.expected)
				}
			})
		}
	}
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (c *Collector) QueueSlice(*analysis.Slice, int) {}

// row returns the row of a waiter, making it on first use.
func (c *Collector) row(lock format.ObjectID, w *analysis.Waiter) int {
	i := c.index.RowOf(lock, w, blame.AnyShare)
	if i == len(c.rows) {
		c.rows = append(c.rows, &Lengths{})
	}
	return i
}

// addWait adds a wait that begins at an instant to the total, its row and its interval.
func (c *Collector) addWait(row int, at int64, add func(*Lengths)) {
	add(&c.total)
	add(c.rows[row])
	if c.interval > 0 {
		add(blame.Entry(c.byInterval, rowInterval{(at - c.start) / c.interval, row}))
	}
}

// addSample begins or extends a sampled wait. The samples of one thread come in order of time.
func (c *Collector) addSample(s *analysis.Slice, by *analysis.Waiter) {
	w, seen := blame.Entry(c.open, by.Thread), &s.Sample
	if by.First || !w.going {
		c.close(w)
		*w = sampledWait{going: true, row: c.row(s.Lock, by), before: seen.Before, first: seen.First}
		if seen.Before == format.NoTime {
			w.before, w.edge = min(s.Start, seen.First), true
		}
	}
	w.last, w.after = seen.Last, seen.After
	if seen.After == format.NoTime {
		w.after, w.edge = max(s.End, seen.Last), true
	}
}

// close counts a sampled wait that has ended.
func (c *Collector) close(w *sampledWait) {
	if !w.going {
		return
	}
	w.going = false
	c.addWait(w.row, max(w.first, c.start), func(l *Lengths) {
		l.AtLeast.Record(w.last - w.first)
		l.AtMost.Record(w.after - w.before)
		if w.edge {
			l.Open++
		}
	})
}
