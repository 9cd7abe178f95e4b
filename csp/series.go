// Package csp computes critical section pressure: per measurement interval
// and lock, the time threads spent acquiring the lock over the cumulated
// running time of all threads (David et al., Free Lunch, OOPSLA 2014).
package csp

import (
	"cmp"
	"iter"
	"slices"

	"contend/format"
)

// Series is pressure over the whole recording.
type Series struct {
	IntervalNs int64
	Phases     []Phase // the largest first; as many as Options.Top asked for
	WaitNs     int64   // over all intervals and locks
	RunningNs  int64
	Sampled    bool     // the sums are estimates
	PlusMinus  *float64 // half of the 95 % interval of the pressure of all locks, as that of Pressure

	meter  *Meter
	waits  *packed
	halves []*float64 // PlusMinus of the first pressures, in the order of Intervals
}

// Interval is one measurement interval; locks without waiting in it are absent.
type Interval struct {
	StartNs   int64      `json:"startNs"`
	EndNs     int64      `json:"endNs"`
	RunningNs int64      `json:"runningNs"`
	Locks     []Pressure `json:"locks"` // descending by WaitNs
}

// Pressure is one lock in one interval.
type Pressure struct {
	Class     string   `json:"class"`
	Lock      string   `json:"lock"`
	WaitNs    int64    `json:"waitNs"`
	CSP       float64  `json:"csp"`                    // WaitNs / RunningNs of the interval, in [0, 1]
	PlusMinus *float64 `json:"cspPlusMinus,omitempty"` // half of the 95 % interval of CSP; nil when it is exact, or the samples are too few to tell

	id format.ObjectID
}

// Phase is a stretch of intervals over which a lock's pressure stays high.
type Phase struct {
	Class     string   `json:"class"`
	Lock      string   `json:"lock"`
	StartNs   int64    `json:"startNs"`
	EndNs     int64    `json:"endNs"`
	WaitNs    int64    `json:"waitNs"`
	CSP       float64  `json:"csp"`
	PlusMinus *float64 `json:"cspPlusMinus,omitempty"` // as that of Pressure
	Causes    []Cause  `json:"causes"`                 // owner call chains by waiting time caused, at most five
	Turns     []Turn   `json:"turns,omitempty"`        // where the culprit changes, the intervals of each; else nil

	stretch
}

// Cause is one blamed call chain of a phase.
type Cause struct {
	Owner  string `json:"owner"` // its stack, innermost frame first, or a pseudo owner
	WaitNs int64  `json:"waitNs"`
	Shown  string `json:"-"` // as Meter.Name has it
}

// Len returns the number of intervals.
func (s *Series) Len() int {
	if s.meter == nil {
		return 0
	}
	return len(s.meter.running)
}

// Intervals makes the measurement intervals one after the other: consecutive,
// the first begins at the trace's start. A day of them takes far more memory
// than what they are made of.
func (s *Series) Intervals() iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		if s.Len() == 0 {
			return
		}
		waits, names, halves := unpacker{chunks: s.waits.chunks}, map[format.ObjectID]Pressure{}, s.halves
		more := waits.next()
		for i, ran := range s.meter.running {
			iv := Interval{StartNs: s.meter.begin(int32(i)), EndNs: s.meter.end(int32(i)), RunningNs: ran, Locks: []Pressure{}}
			for ; more && waits.entry.interval == int32(i); more = waits.next() {
				if e := waits.entry; e.ns > 0 {
					iv.Locks = append(iv.Locks, s.pressure(names, e, ran))
				}
			}
			slices.SortFunc(iv.Locks, mostWaiting)
			n := min(len(halves), len(iv.Locks))
			for j, half := range halves[:n] {
				iv.Locks[j].PlusMinus = half
			}
			halves = halves[n:]
			if !yield(iv) {
				return
			}
		}
	}
}

// mostWaiting is the order of locks in an interval.
func mostWaiting(a, b Pressure) int {
	if a.WaitNs != b.WaitNs { // names cost more than numbers
		return cmp.Compare(b.WaitNs, a.WaitNs)
	}
	return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.id, b.id))
}

// pressure names a sum. A lock has its name made once, not in each interval.
func (s *Series) pressure(names map[format.ObjectID]Pressure, e entry, ran int64) Pressure {
	p, ok := names[e.lock]
	if !ok {
		p = Pressure{Class: s.meter.sym.ClassName(e.lock), Lock: s.meter.sym.LockName(e.lock), id: e.lock}
		names[e.lock] = p
	}
	p.WaitNs, p.CSP = e.ns, ratio(e.ns, ran)
	return p
}
