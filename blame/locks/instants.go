package locks

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// instantState is a thread at a sampling instant.
type instantState struct {
	thread format.ThreadID // not of those that wait for a pool's object
	stack  format.StackID
	doing  format.Activity
	waits  bool // for a lock
	taking int8 // the library whose object it waits for, plus 1
}

// instants keeps the states of threads at sampling instants until all stacks of the trace are known.
type instants struct {
	most   int                       // states that are kept; later instants are left out
	wanted func([]instantState) bool // which instants are kept

	time   int64 // of the open instant; NoTime if there is none
	open   []instantState
	closed [][]instantState
	kept   int // states in closed
}

func newInstants(most int, wanted func([]instantState) bool) instants {
	return instants{most: most, wanted: wanted, time: format.NoTime}
}

// shows reports whether an activity belongs to the open instant.
func (x *instants) shows(ev *format.Event) bool { return ev.Time == x.time && ev.End <= ev.Time }

// observe takes an event of an analysis.InstantVisitor.
func (x *instants) observe(ev *format.Event) {
	switch {
	case ev.Kind != format.KindContention:
		x.finish()
		if x.time = format.NoTime; ev.Kind == format.KindTick {
			x.time = ev.Time
		}
	case ev.Time == x.time:
		for _, w := range ev.Waiters {
			x.open = append(x.open, instantState{thread: w.Thread, stack: w.Stack, waits: true})
		}
	}
}

// finish keeps the open instant if it is wanted.
func (x *instants) finish() {
	if x.kept+len(x.open) <= x.most && x.wanted(x.open) {
		x.kept += len(x.open)
		x.closed = append(x.closed, slices.Clone(x.open))
	}
	x.open = x.open[:0]
}

// threadTimes is a union of intervals that come thread by thread, those of each in order of time. None may be
// added once it was asked for.
type threadTimes struct {
	thread format.ThreadID
	parts  []*analysis.Union // by thread
	all    *analysis.Union
}

func (t *threadTimes) addInterval(of format.ThreadID, from, to int64) {
	if len(t.parts) == 0 || of != t.thread {
		t.thread, t.parts = of, append(t.parts, &analysis.Union{})
	}
	t.parts[len(t.parts)-1].AddInterval(from, to)
}

func (t *threadTimes) union() *analysis.Union {
	if t.all == nil {
		t.all = analysis.UnionOf(t.parts)
	}
	return t.all
}
