// Package waits looks at single waits: how long they were, by what waited and for what
// (lengths.go), the longest of them, each with its owners one after the other (longest.go),
// and what threads did around one (lanes.go, scene.go).
package waits

import (
	"regexp"

	"contend/analysis"
	"contend/analysis/dist"
	"contend/blame"
	"contend/format"
)

// Lengths are the waits of one row, in nanoseconds. Of a sampled wait only
// bounds are known: from the first sample that shows it to the last at least, from the
// sample before to the sample after at most.
type Lengths struct {
	Exact     dist.Dist // waits recorded from beginning to end
	Corrected dist.Dist // the same, corrected for coordinated omission; empty unless asked for
	AtLeast   dist.Dist // sampled waits
	AtMost    dist.Dist
	Open      int64 // sampled waits that reach the edge of the trace, or of the filter's cut, or a gap: AtMost counts them up to there only
}

// Waits returns how many waits were recorded or seen.
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
	Start, End int64 // the interval of its waits, ns; 0 and 0 where these are of any time
	*Lengths
}

// Options of a collector.
type Options struct {
	By         string // comma-separated keys
	ExpectedNs int64  // correct for a wait meant to be measured this often; 0 does not
	IntervalNs int64  // keep the lengths apart by intervals of this length; 0 does not

	App *regexp.Regexp // the program's own code, see blame.Resolver.App
}

// Collector is a visitor that takes the length of every wait. It answers for whole waits
// only: where a trace samples, it gives the bounds between which each wait's length lies,
// and no estimate.
type Collector struct {
	analysis.AnyQueue
	by       []blame.Key
	expected int64
	interval int64

	keys  blame.Resolver
	start int64
	index *blame.Rows
	rows  []*Lengths // by number in index
	total Lengths
	parts map[part]*Lengths
	open  map[format.ThreadID]*seenWait
}

// part is one row in one interval.
type part struct {
	interval int64
	row      int
}

// seenWait is a sampled wait that may go on.
type seenWait struct {
	going         bool
	row           int
	before, first int64
	last, after   int64
	edge          bool // a neighbour is missing
}

// New returns an empty collector. The error is a wrong list of keys.
func New(o Options) (*Collector, error) {
	by, err := blame.ParseKeys(o.By, blame.Lengths)
	if err != nil {
		return nil, err
	}
	c := &Collector{by: by, expected: o.ExpectedNs, interval: o.IntervalNs, parts: map[part]*Lengths{}, open: map[format.ThreadID]*seenWait{}}
	c.keys.App(o.App)
	c.index = blame.NewRows(&c.keys, blame.Columns(by, false))
	return c, nil
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.keys.Begin(sym)
	c.start = start
}

// Slice implements analysis.Visitor. A wait counts where it begins.
func (c *Collector) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		w := &s.Waiters[i]
		switch {
		case w.Again: // how long it waits is known
		case s.Sample.Taken:
			c.see(s, w)
		case w.First:
			c.add(c.row(s.Lock, w), s.Start, func(l *Lengths) {
				l.Exact.Add(w.WaitNs)
				if c.expected > 0 {
					l.Corrected.AddCorrected(w.WaitNs, 1, c.expected)
				}
			})
		}
	}
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (c *Collector) QueueSlice(*analysis.Slice, int) {}

// row returns the row of a waiter, making it if need be.
func (c *Collector) row(lock format.ObjectID, w *analysis.Waiter) int {
	i := c.index.Of(lock, w, blame.AnyShare)
	if i == len(c.rows) {
		c.rows = append(c.rows, &Lengths{})
	}
	return i
}

// add gives a wait that begins at some time to all that count it.
func (c *Collector) add(row int, at int64, add func(*Lengths)) {
	add(&c.total)
	add(c.rows[row])
	if c.interval > 0 {
		add(blame.At(c.parts, part{(at - c.start) / c.interval, row}))
	}
}

// see takes the samples that show a wait, or more of it. Those of one thread
// come in order of time.
func (c *Collector) see(s *analysis.Slice, by *analysis.Waiter) {
	w, seen := blame.At(c.open, by.Thread), &s.Sample
	if by.First || !w.going {
		c.close(w)
		*w = seenWait{going: true, row: c.row(s.Lock, by), before: seen.Before, first: seen.First}
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
func (c *Collector) close(w *seenWait) {
	if !w.going {
		return
	}
	w.going = false
	c.add(w.row, max(w.first, c.start), func(l *Lengths) {
		l.AtLeast.Add(w.last - w.first)
		l.AtMost.Add(w.after - w.before)
		if w.edge {
			l.Open++
		}
	})
}
