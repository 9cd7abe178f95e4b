package csp

import (
	"cmp"
	"iter"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
)

// Series is pressure over the whole recording.
type Series struct {
	IntervalNs int64
	Phases     []Phase // the largest first; as many as Options.Top asked for
	WaitNs     int64   // over all intervals and locks
	RunningNs  int64
	Sampled    bool     // the sums are estimates
	PlusMinus  *float64 // half of the 95 % interval of the pressure of all locks; nil as in Pressure

	meter      *Meter
	n          int
	order      []cube.CellAt // cells of the meter, by time
	halfWidths []*float64    // PlusMinus of the first pressures, in the order of Intervals
}

// Interval is one measurement interval; locks without waiting in it are absent.
type Interval struct {
	StartNs   int64
	EndNs     int64
	RunningNs int64
	Locks     []Pressure // descending by WaitNs
}

// Pressure is one lock, or one class of locks, in one interval.
type Pressure struct {
	Class  string
	Lock   string
	WaitNs int64
	CSP    float64 // WaitNs / RunningNs of the interval, in [0, 1]
	// half of the 95 % interval of CSP; nil if it is exact, or there are too few samples
	PlusMinus *float64

	ids []format.ObjectID // of the lock, or of the locks of the class
}

// Phase is a run of intervals in which the pressure of the locks of one class and site stays high.
type Phase struct {
	Class     string
	Lock      string // the one with most waiting
	Site      string // in the name of the locks; "" if unknown, or of a class
	Locks     int    // waited for in the phase
	StartNs   int64
	EndNs     int64
	WaitNs    int64
	CSP       float64
	PlusMinus *float64  // as in Pressure
	Causes    []Cause   // owner call chains by waiting time caused, at most five
	Segments  []Segment // between changes of the main cause; nil if there are none

	sums phaseSums
}

// Cause is one blamed call chain of a phase.
type Cause struct {
	Owner  string // its stack, innermost frame first, or a pseudo owner
	WaitNs int64
	Place  OwnerPlace // the zero value without Meter.PlaceOf
}

// OwnerPlace is where an owner took the lock, and what it did while others waited.
type OwnerPlace struct {
	Site  string
	Doing blame.Doing
}

// Len returns the number of intervals.
func (s *Series) Len() int { return s.n }

// Intervals makes the measurement intervals one by one, without gaps from the start of the
// trace. A list of a day's intervals would take far more memory than the table does.
func (s *Series) Intervals() iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		if s.order == nil && s.n > 0 {
			s.order = s.meter.waits.ByTime()
		}
		rest := s.order
		names := map[format.ObjectID]Pressure{}
		halfWidths := s.halfWidths
		for i := range int32(s.n) {
			ran := s.meter.running(i)
			iv := Interval{StartNs: s.meter.begin(i), EndNs: s.meter.end(i), RunningNs: ran, Locks: []Pressure{}}
			for ; len(rest) > 0; rest = rest[1:] {
				row, cell := s.meter.waits.CellOf(rest[0])
				if cell.Bin > i {
					break
				}
				if cell.Ns > 0 {
					iv.Locks = append(iv.Locks, s.pressure(names, format.ObjectID(row.Key[0]), cell.Ns, ran))
				}
			}
			if s.meter.opts.ByClass {
				iv.Locks = ofClasses(iv.Locks, ran)
			}
			slices.SortFunc(iv.Locks, mostWaiting)
			n := min(len(halfWidths), len(iv.Locks))
			for j, half := range halfWidths[:n] {
				iv.Locks[j].PlusMinus = half
			}
			halfWidths = halfWidths[n:]
			if !yield(iv) {
				return
			}
		}
	}
}

// mostWaiting orders the locks of an interval.
func mostWaiting(a, b Pressure) int {
	if a.WaitNs != b.WaitNs { // names cost more than numbers
		return cmp.Compare(b.WaitNs, a.WaitNs)
	}
	return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.ids[0], b.ids[0]))
}

// ofClasses adds up the pressures of the locks of each class.
func ofClasses(locks []Pressure, ran int64) []Pressure {
	out, at := []Pressure{}, map[string]int{}
	for _, l := range locks {
		i, known := at[l.Class]
		if !known {
			i = len(out)
			at[l.Class] = i
			out = append(out, Pressure{Class: l.Class, Lock: l.Class})
		}
		c := &out[i]
		c.WaitNs, c.ids = c.WaitNs+l.WaitNs, append(c.ids, l.ids...)
		c.CSP = analysis.Ratio(c.WaitNs, ran)
	}
	return out
}

// pressure returns the pressure of a lock. The name of a lock is made once, not in each
// interval.
func (s *Series) pressure(names map[format.ObjectID]Pressure, lock format.ObjectID, ns, ran int64) Pressure {
	p, ok := names[lock]
	if !ok {
		p = Pressure{
			Class: s.meter.sym.ClassName(lock),
			Lock:  s.meter.sym.LockName(lock),
			ids:   []format.ObjectID{lock},
		}
		names[lock] = p
	}
	p.WaitNs, p.CSP = ns, analysis.Ratio(ns, ran)
	return p
}
