// Package csp computes critical section pressure: per measurement interval
// and lock, the time threads spent acquiring the lock over the cumulated
// running time of all threads (David et al., Free Lunch, OOPSLA 2014).
package csp

import "contend/format"

// Series is pressure over the whole recording.
type Series struct {
	IntervalNs int64
	Intervals  []Interval // consecutive, the first begins at the trace's start
	Phases     []Phase
	WaitNs     int64 // over all intervals and locks
	RunningNs  int64
	Sampled    bool // the sums are estimates
}

// Interval is one measurement interval; locks without waiting in it are absent.
type Interval struct {
	StartNs, EndNs int64
	RunningNs      int64
	Locks          []Pressure // descending by WaitNs
}

// Pressure is one lock in one interval.
type Pressure struct {
	Class, Lock string
	WaitNs      int64
	CSP         float64  // WaitNs / RunningNs of the interval, in [0, 1]
	PlusMinus   *float64 // half of the 95 % interval of CSP; nil when it is exact, or the samples are too few to tell
}

// Phase is a stretch of intervals over which a lock's pressure stays high.
type Phase struct {
	Class, Lock    string
	StartNs, EndNs int64
	WaitNs         int64
	CSP            float64
	PlusMinus      *float64 // as that of Pressure
	Causes         []Cause  // owner call chains by waiting time caused, at most five

	lock        format.ObjectID
	first, last int32 // intervals
}

// Cause is one blamed call chain of a phase.
type Cause struct {
	Owner  string // its stack, innermost frame first, or a pseudo owner
	WaitNs int64
}
