package document

import (
	"contend/analysis"
	"contend/blame/locks"
	"contend/format"
)

// Trace describes the input.
type Trace struct {
	Inputs     []string `json:"inputs"`
	Format     string   `json:"format"`
	StartNs    int64    `json:"startNs"` // since the Unix epoch
	DurationNs int64    `json:"durationNs"`
	Threads    int      `json:"threads"`
}

// Total is the sum over the selected waits.
type Total struct {
	Waiting
	RunningNs int64 `json:"runningNs"` // running thread-time, waiting for locks included

	// of all locks, as in Lock; the recorder's own sums are Waits and WaitNs less these
	Reacquired       int64 `json:"reacquired,omitempty"`
	ReacquiredNs     int64 `json:"reacquiredNs,omitempty"`
	ReacquiredLowNs  int64 `json:"reacquiredLowNs,omitempty"`
	ReacquiredHighNs int64 `json:"reacquiredHighNs,omitempty"`
}

// NewTotal returns the totals of a collector.
func NewTotal(c *locks.Collector) Total {
	sum := c.Total()
	return Total{
		Waiting:      Waiting{sum.Waits, sum.WaitNs, sum.WallNs},
		RunningNs:    c.RunningNs(),
		Reacquired:   sum.Reacquired,
		ReacquiredNs: sum.ReacquiredNs,
	}
}

// Lock is one lock, or one class of locks.
type Lock struct {
	Lock    string  `json:"lock"`
	Class   string  `json:"class"`
	Kind    string  `json:"kind"`
	Waits   int64   `json:"waits"`
	Failed  int64   `json:"failed,omitempty"` // waits that ended without the lock
	WaitNs  int64   `json:"waitNs"`           // thread-time
	WallNs  int64   `json:"wallNs"`
	MaxNs   int64   `json:"maxNs"` // longest wait; 0 when waits were only sampled
	P50Ns   int64   `json:"p50Ns"` // percentiles of whole waits, to three digits; 0 when only sampled
	P99Ns   int64   `json:"p99Ns"`
	CSP     float64 `json:"csp"`
	Waiters int     `json:"waiters"` // distinct threads
	// waits for the lock again after Object.wait or await, whose beginnings are estimated, and their part of WaitNs
	Reacquired   int64 `json:"reacquired,omitempty"`
	ReacquiredNs int64 `json:"reacquiredNs,omitempty"`
	// at how many a lock was recorded that collections moved; 0 of others, and of a class
	Addresses int `json:"addresses,omitempty"`

	Created Stack `json:"created,omitempty"` // where the lock was made, if that is recorded

	*Uncertainty
	CSPPlusMinus *float64 `json:"cspPlusMinus,omitempty"`

	// the range of ReacquiredNs
	ReacquiredLowNs  int64 `json:"reacquiredLowNs,omitempty"`
	ReacquiredHighNs int64 `json:"reacquiredHighNs,omitempty"`

	Provenance  Provenance   `json:"provenance"`
	Calibration *Calibration `json:"calibration,omitempty"` // of its owners, if any is inferred

	// where the lock was made, or, if unknown, is mostly acquired or waited for; "" if that is unknown, too
	Site string `json:"site,omitempty"`
	// the threads at both sides by their places, in descending order of waiting
	Owners  []Owner `json:"owners"`
	Waiting []Site  `json:"waiting"`
}

// Deadlock is a cycle of threads, each waiting for a lock the next one holds.
type Deadlock struct {
	Number  int      `json:"number"`
	SinceNs int64    `json:"sinceNs"`
	Cycle   []Member `json:"cycle"`
	Queued  []string `json:"queued"`          // threads blocked behind the cycle
	Found   string   `json:"found,omitempty"` // the message of the runtime that found it, without the cycle
}

// Member is one thread of a deadlock.
type Member struct {
	Thread string `json:"thread"`
	Lock   string `json:"lock"` // that it waits for
	Class  string `json:"class"`
	Holds  string `json:"holds"`          // the lock that the previous thread waits for
	Took   string `json:"took,omitempty"` // the acquisition site of holds; absent if unknown
	Stack  Stack  `json:"stack"`          // with which it waits
}

// Stack is a call stack, innermost frame first.
type Stack []Frame

// Frame is one line of a call stack.
type Frame struct {
	Class  string `json:"class"`  // class or package, as the language writes it: java.util.Hashtable, net/http
	Method string `json:"method"` // method or function without signature
	Line   int    `json:"line"`   // 0 when unknown, -1 for native code
}

// Frames returns the frames as a trace has them, without their files.
func (s Stack) Frames() []format.Frame {
	out := make([]format.Frame, len(s))
	for i, f := range s {
		out[i] = format.Frame{Class: f.Class, Method: f.Method, Line: f.Line}
	}
	return out
}

// Analyze is the document of `contend analyze`.
type Analyze struct {
	Schema    string     `json:"schema"`
	Trace     Trace      `json:"trace"`
	Total     Total      `json:"total"`
	Locks     []Lock     `json:"locks"`
	Deadlocks []Deadlock `json:"deadlocks"`
	Coverage  Coverage   `json:"coverage"`
	NonLockWaits

	// of the trace, inside --from and --to; where an input is cut off, as much of it as is known of the waiting threads
	ElapsedNs      int64      `json:"elapsedNs"`
	WaitingThreads float64    `json:"waitingThreads"` // on average; 0 if the input counts
	Findings       []Finding  `json:"findings"`
	Phases         []Phase    `json:"phases"`
	NotCounted     []Warning  `json:"notCounted"`          // the warnings about waits outside of the totals
	Ranked         []Ranked   `json:"ranked"`              // locks and resources, by waiting
	Executors      []Executor `json:"executors,omitempty"` // the busiest first
	Dumps          *Dumps     `json:"dumps,omitempty"`     // if the input has thread dumps, without a filter

	rest []Awaited // the locks beyond Locks, in one row for each class and site
}

// MaxLocks is the default number of locks with a row of their own: a row takes a kilobyte and more,
// and a trace may have a million locks.
const MaxLocks = 1 << 12

// NewTrace describes the input. Sums of waiting have no threads, and no duration if nothing dates them.
func NewTrace(inputs []string, st format.Stats, tr *analysis.Trace) Trace {
	t := Trace{Inputs: inputs, Format: st.Format, StartNs: tr.Start}
	_, undated := format.FindWarning(st.Warnings, format.CodeNoTimes)
	if !st.Unit.Summed() {
		t.Threads = tr.Threads
	}
	if !st.Unit.Summed() || !undated {
		t.DurationNs = tr.End - tr.Start
	}
	return t
}

// NewAnalyze builds the document; top limits the locks, and each list within
// one, 0 means all.
func NewAnalyze(t Trace, cov Coverage, tr *analysis.Trace, sums *locks.Collector, o Overview, top int) *Analyze {
	a := &Analyze{
		Schema:       "contend.analyze/2",
		Trace:        t,
		Coverage:     cov,
		Locks:        []Lock{},
		Deadlocks:    []Deadlock{},
		NonLockWaits: NonLockWaits{Resources: []Resource{}},
		Total:        NewTotal(sums),
		ElapsedNs:    tr.ElapsedNs,
		Findings:     mapped(o.Findings, newFinding),
		Phases:       []Phase{},
		NotCounted:   notCounted(cov.Warnings),
	}
	a.WaitingThreads = waitingThreads(tr, cov, a.Total.WaitNs)
	if cov.Timed() { // counts have no instant
		a.Phases = append(a.Phases, NewPhases(o.Phases, top)...)
	}
	byID := map[uint32]*locks.Lock{}
	for i := range o.Locks {
		byID[o.Locks[i].ID] = &o.Locks[i]
	}
	a.Total.ReacquiredLowNs, a.Total.ReacquiredHighNs = rangeOf(a.Total.ReacquiredNs, tr.Reacquired)
	seen, reacquired := tr.SeenBy(sums.ByClass()), tr.ReacquiredBy(sums.ByClass())
	for i, r := range sums.Top(top) {
		l := newLock(&r, tr.Symbols, byID[r.ID], top)
		l.Calibration = newCalibration(l.Provenance, seen[r.ID])
		l.surveyed(seen[r.ID])
		l.ReacquiredLowNs, l.ReacquiredHighNs = rangeOf(l.ReacquiredNs, reacquired[r.ID])
		if i < maxUncertain && cov.Timed() {
			if wait, csp, ok := sums.Estimate(&r); ok {
				l.Uncertainty, l.CSPPlusMinus = newUncertainty(wait), finite(csp.Half)
			}
		}
		a.Locks = append(a.Locks, l)
	}
	for i := range o.Rest {
		l := &o.Rest[i]
		r, biggest := sums.Together(l.Of)
		r.Lock, r.Class = l.Name, l.Class
		kind := "lock"
		if len(l.Waiting) == 0 { // they have no site in common
			kind = Others
		}
		all := newLock(&r, tr.Symbols, l, top)
		var again analysis.Reacquired
		for _, id := range l.Of {
			again.Merge(reacquired[id])
		}
		all.ReacquiredLowNs, all.ReacquiredHighNs = rangeOf(all.ReacquiredNs, again)
		a.rest = append(a.rest, all.awaited(kind, len(l.Of), biggest))
	}
	for i, d := range tr.Deadlocks {
		a.Deadlocks = append(a.Deadlocks, newDeadlock(i+1, d, tr.Symbols, o.Took))
	}
	for _, w := range cov.Warnings {
		if w.Code == format.CodeDeadlock && len(a.Deadlocks) == 0 {
			a.Deadlocks = append(a.Deadlocks, Deadlock{Number: 1, Cycle: []Member{}, Queued: []string{}, Found: w.Text})
		}
	}
	return a
}

func newLock(r *locks.Row, sym *analysis.Symbols, o *locks.Lock, top int) Lock {
	var created Stack
	if r.Created != format.NoStack {
		created = NewStack(sym.Frames(r.Created))
	}
	return Lock{
		Lock:         r.Lock,
		Class:        r.Class,
		Kind:         r.Kind,
		Waits:        r.Waits,
		Failed:       r.Failed,
		WaitNs:       r.WaitNs,
		WallNs:       r.WallNs,
		MaxNs:        r.MaxNs,
		P50Ns:        r.P50Ns,
		P99Ns:        r.P99Ns,
		CSP:          r.CSP,
		Waiters:      r.Waiters,
		Reacquired:   r.Reacquired,
		ReacquiredNs: r.ReacquiredNs,
		Addresses:    r.Addresses,
		Created:      created,
		Provenance:   NewProvenance(r.ByProvenance),
		Site:         o.Site,
		Owners:       newOwners(o.Owners, top),
		Waiting:      mapped(limit(o.Waiting, top), newSite),
	}
}

func newDeadlock(
	number int,
	d analysis.Deadlock,
	sym *analysis.Symbols,
	took func(format.StackID, format.ObjectID) string,
) Deadlock {
	out := Deadlock{Number: number, SinceNs: d.Since, Queued: []string{}}
	for i, l := range d.Cycle {
		held := d.Cycle[(i+len(d.Cycle)-1)%len(d.Cycle)].Lock // the previous thread waits for it
		out.Cycle = append(
			out.Cycle,
			Member{
				sym.ThreadName(l.Thread),
				sym.LockName(l.Lock),
				sym.ClassName(l.Lock),
				sym.LockName(held),
				took(l.Stack, held),
				NewStack(sym.Frames(l.Stack)),
			},
		)
	}
	for _, t := range d.Queued {
		out.Queued = append(out.Queued, sym.ThreadName(t))
	}
	return out
}

// NewStack converts a stack; it is never null in JSON.
func NewStack(frames []format.Frame) Stack {
	out := make(Stack, len(frames))
	for i, f := range frames {
		out[i] = Frame{f.Class, f.Method, f.Line}
	}
	return out
}

// mapped converts the rows of a list; it is never null in JSON.
func mapped[From, To any](rows []From, convert func(*From) To) []To {
	out := make([]To, len(rows))
	for i := range rows {
		out[i] = convert(&rows[i])
	}
	return out
}

// limit returns the first n rows, all for n == 0.
func limit[T any](rows []T, n int) []T {
	if n > 0 && n < len(rows) {
		return rows[:n]
	}
	return rows
}

// rangeOf returns the range of the time to re-acquire a lock that lies in the cut of a filter: that of the whole
// trace, in proportion.
func rangeOf(ns int64, whole analysis.Reacquired) (low, high int64) {
	if ns == 0 || whole.Ns == 0 {
		return 0, 0
	}
	part := float64(ns) / float64(whole.Ns)
	return int64(part * float64(whole.Low)), int64(part * float64(whole.High))
}
