// Package document holds the documents contend prints as JSON and renders as
// tables: plain data, integer nanoseconds, versioned. report/README.md
// specifies them.
package document

import (
	"cmp"
	"strings"

	"contend/analysis"
	"contend/blame/locks"
	"contend/format"
)

// Trace says what was read.
type Trace struct {
	Inputs     []string `json:"inputs"`
	Format     string   `json:"format"`
	StartNs    int64    `json:"startNs"` // since the Unix epoch
	DurationNs int64    `json:"durationNs"`
	Threads    int      `json:"threads"`
}

// Total is the sum over everything the filters let through.
type Total struct {
	Waiting
	RunningNs int64 `json:"runningNs"` // running thread-time, waiting for locks included
}

// NewTotal sums up what a collector saw.
func NewTotal(c *locks.Collector) Total {
	sum := c.Total()
	return Total{Waiting{sum.Waits, sum.WaitNs, sum.WallNs}, c.RunningNs()}
}

// Provenance says how the owners of so much waiting are known. Exact and sampled ones are
// recorded; the keys of estimates and of threads without stacks are those of older versions, and 0.
type Provenance struct {
	ExactNs      int64 `json:"exactNs"`
	SampledNs    int64 `json:"sampledNs"`
	InferredNs   int64 `json:"inferredNs"`
	EstimatedNs  int64 `json:"estimatedNs"`
	ThreadOnlyNs int64 `json:"threadOnlyNs"`
	UnknownNs    int64 `json:"unknownNs"`
	RightNs      int64 `json:"expectedRightNs"` // of all: what was recorded, and the rest by its probability
}

// RecordedNs returns what the trace tells of.
func (p Provenance) RecordedNs() int64 { return p.ExactNs + p.SampledNs }

// Right returns how likely what is inferred is; ok is false where nothing is.
func (p Provenance) Right() (share float64, ok bool) {
	if p.InferredNs == 0 {
		return 0, false
	}
	return float64(p.RightNs-p.RecordedNs()) / float64(p.InferredNs), true
}

// Warning is a reason to distrust a result.
type Warning struct {
	Code     string `json:"code"`
	Text     string `json:"text"`
	HiddenNs int64  `json:"hiddenNs,omitempty"` // the waiting that may be missing for this reason at most; 0 where nothing bounds it
}

// Coverage says what the trace could and could not tell.
type Coverage struct {
	Unit       string     `json:"unit"` // of all waiting: ns, threads, acquisitions
	Events     int64      `json:"events"`
	BytesRead  int64      `json:"bytesRead"`
	BytesTotal int64      `json:"bytesTotal"`
	Provenance Provenance `json:"provenance"`
	Sampler    *Sampler   `json:"sampler,omitempty"` // absent where samples do not say when they were due
	Warnings   []Warning  `json:"warnings"`
	Goroutines bool       `json:"-"` // what waits are goroutines, not threads
	Places     Places     `json:"-"` // by which people know locks

	Calibration *Calibration `json:"calibration,omitempty"`    // absent where no owner is inferred
	Short       *Bounds      `json:"belowThreshold,omitempty"` // of waiting too short to be recorded; absent where all was
	Running     *Bounds      `json:"running,omitempty"`        // of the running time; absent where it is known
	Pressure    *Shares      `json:"pressure,omitempty"`       // the range of that of all locks; absent where it is known to a point
}

// Shares are the least and the most that a share can be.
type Shares struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// widePressure is from where on a range is worth a word.
const widePressure = 0.01

// newPressureRange returns the range of the pressure of a trace whose waiting is known to
// half of an interval, ns, but for what is hidden.
func newPressureRange(tr *analysis.Trace, half, hidden int64) *Shares {
	wait := tr.Coverage.ByProvenance.Ns()
	low, _ := tr.Pressure(max(wait-half, 0), 0)
	_, high := tr.Pressure(wait+half, hidden)
	if high = min(high, 1); high-low >= widePressure {
		return &Shares{low, high}
	}
	return nil
}

// pressureWithin returns the range of the pressure of a total that samples tell, which is
// known to half of an interval, nil where that is not known.
func (c *Coverage) pressureWithin(total *Total, half *float64) *Shares {
	if half == nil || c.Pressure == nil && *half < widePressure || total.RunningNs <= 0 {
		return c.Pressure
	}
	is := float64(total.WaitNs) / float64(total.RunningNs)
	out := Shares{is, is}
	if c.Pressure != nil {
		out = *c.Pressure
	}
	return &Shares{max(0, out.Low-*half), min(1, out.High+*half)}
}

// Bounds are what an amount is taken to be, and the most it can be.
type Bounds struct {
	LowNs  int64 `json:"lowNs"`
	HighNs int64 `json:"highNs"`
}

// Calibration says how much of what is inferred is expected to be right. Thread
// dumps were hidden and then compared with what was inferred without them.
type Calibration struct {
	Dumps      int                  `json:"dumps"`   // contended locks in thread dumps, held back
	Waiters    int64                `json:"waiters"` // threads that waited for them then
	Agreeing   int64                `json:"agreeing"`
	Provenance []ExpectedProvenance `json:"provenances"`
}

// ExpectedProvenance is the expectation for the waiting of one provenance.
type ExpectedProvenance struct {
	Name          string   `json:"name"`
	WaitNs        int64    `json:"waitNs"`
	ExpectedRight *float64 `json:"expectedRight"` // share; null when nothing tells
	ExpectedLow   *float64 `json:"expectedLow"`   // bounds of it
	ExpectedHigh  *float64 `json:"expectedHigh"`
	Dumps         int      `json:"dumps"`
	Waiters       int64    `json:"waiters"`
	Agreeing      int64    `json:"agreeing"`
}

func newCalibration(p Provenance, seen analysis.Agreement) *Calibration {
	share, ok := p.Right()
	if !ok {
		return nil
	}
	return &Calibration{seen.Dumps, seen.Asked, seen.Agrees, []ExpectedProvenance{{"inferred", p.InferredNs, &share, &share, &share, seen.Dumps, seen.Asked, seen.Agrees}}}
}

// Sampler says how late samples were taken.
type Sampler struct {
	Samples int64    `json:"samples"`
	Late    *Lengths `json:"late"`   // actual less intended time, with entries for the samples skipped meanwhile
	LateNs  int64    `json:"lateNs"` // time in which a sample was due and not taken
	SpanNs  int64    `json:"spanNs"` // from the first instant a sample was due to the last sample
}

// Lock is one lock, or one class of locks.
type Lock struct {
	Lock    string  `json:"lock"`
	Class   string  `json:"class"`
	Kind    string  `json:"kind"`
	Waits   int64   `json:"waits"`
	Failed  int64   `json:"failed,omitempty"` // waits that ended without the lock, since their time was up
	WaitNs  int64   `json:"waitNs"`
	WallNs  int64   `json:"wallNs"`
	MaxNs   int64   `json:"maxNs"`
	P50Ns   int64   `json:"p50Ns"`
	P99Ns   int64   `json:"p99Ns"`
	CSP     float64 `json:"csp"`
	Waiters int     `json:"waiters"`
	Moved   int     `json:"addresses,omitempty"` // at how many the lock was recorded, where collections moved it
	Created Stack   `json:"created,omitempty"`   // where the lock was made, if the trace tells

	*Uncertainty
	CSPPlusMinus *float64 `json:"cspPlusMinus,omitempty"`

	Provenance  Provenance   `json:"provenance"`
	Calibration *Calibration `json:"calibration,omitempty"` // of its owners, where any is inferred

	Site    string      `json:"site,omitempty"` // where the lock was made, or, where the trace does not tell, is mostly taken
	Owners  []LockOwner `json:"owners"`         // during the waits, by waiting caused
	Waiting []Site      `json:"waiting"`        // where the others wait, by waiting
}

// Deadlock is a cycle of threads, each waiting for a lock the next one holds.
type Deadlock struct {
	Number  int      `json:"number"`
	SinceNs int64    `json:"sinceNs"`
	Cycle   []Member `json:"cycle"`
	Queued  []string `json:"queued"`          // threads blocked behind the cycle
	Found   string   `json:"found,omitempty"` // what the runtime said, which found it: it names no cycle
}

// Member is one thread of a deadlock.
type Member struct {
	Thread string `json:"thread"`
	Lock   string `json:"lock"` // that it waits for
	Class  string `json:"class"`
	Holds  string `json:"holds"`          // the lock for which the thread before it waits
	Took   string `json:"took,omitempty"` // where it took that; absent where nothing tells
	Stack  Stack  `json:"stack"`          // with which it waits
}

// Stack is a call stack, innermost frame first.
type Stack []format.Frame

// Analyze is the document of `contend analyze`.
type Analyze struct {
	Schema    string     `json:"schema"`
	Trace     Trace      `json:"trace"`
	Total     Total      `json:"total"`
	Locks     []Lock     `json:"locks"`
	Deadlocks []Deadlock `json:"deadlocks"`
	Coverage  Coverage   `json:"coverage"`
	Beside

	ElapsedNs      int64     `json:"elapsedNs"`      // of the trace, inside --from and --to
	WaitingThreads float64   `json:"waitingThreads"` // on average; 0 where the input counts
	Findings       []Finding `json:"findings"`
	Phases         []Phase   `json:"phases"`
	NotCounted     []Warning `json:"notCounted"` // those of the warnings that tell of waiting the totals leave out
	Ranked         []Ranked  `json:"ranked"`     // all that threads wait for, locks and others, by waiting
	Rest           []Rest    `json:"-"`          // the locks that Locks leaves out, for a screen, which counts them
	Stacks         *Blame    `json:"-"`          // the waiting by the owners' stacks and classes of locks, where people are shown it
}

// MostLocks is how many locks are described each by itself, unless more are asked
// for: a description takes a kilobyte and more, and a trace may have a million.
const MostLocks = 1 << 12

// Rest is the locks of one class and site that are described together.
type Rest struct {
	Lock
	Locks   int
	Biggest int64 // waiting for the biggest of them, ns
}

// NewTrace describes what was read.
func NewTrace(inputs []string, st format.Stats, tr *analysis.Trace) Trace {
	return Trace{Inputs: inputs, Format: st.Format, StartNs: tr.Start, DurationNs: tr.End - tr.Start, Threads: tr.Threads}
}

// Goroutines reports whether what waits in a format are goroutines.
func Goroutines(format string) bool {
	return strings.HasPrefix(format, "go ") || strings.HasPrefix(format, "goroutine")
}

// NewCoverage joins what the decoder and the analysis could not tell.
func NewCoverage(st format.Stats, tr *analysis.Trace) Coverage {
	c := Coverage{Unit: cmp.Or(string(st.Unit), "ns"), Goroutines: Goroutines(st.Format), Events: st.Events, BytesRead: st.BytesRead, BytesTotal: st.BytesTotal,
		Provenance: NewProvenance(tr.Coverage.ByProvenance), Warnings: []Warning{}}
	if s := &tr.Coverage.Stalls; s.Samples > 0 {
		c.Sampler = &Sampler{s.Samples, NewLengths(&s.Late), s.LateNs, s.SpanNs}
	}
	trust := tr.Coverage.Trust()
	c.Calibration = newCalibration(c.Provenance, trust.Seen)
	if tr.Coverage.Threshold > 0 {
		c.Short = &Bounds{0, tr.RunningHigh}
	}
	if tr.RunningIsWide() {
		c.Running = &Bounds{tr.RunningNs, tr.RunningHigh}
	}
	c.Pressure = newPressureRange(tr, st.HalfNs(), st.HiddenNs())
	for _, list := range [][]format.Warning{st.Warnings, tr.Coverage.Warnings} {
		for _, w := range list {
			c.Warnings = append(c.Warnings, Warning{w.Code, w.Text, w.Hidden})
		}
	}
	if st.Blind != "" && c.Unit == "ns" && tr.Coverage.ByProvenance == (analysis.Known{}) && len(tr.Deadlocks) == 0 {
		c.Warnings = append(c.Warnings, Warning{Code: format.CodeBlind, Text: "threads that wait for ever would not show: " + st.Blind})
	}
	return c
}

// ProvenancePart is the part of some waiting whose owners are known in one way.
type ProvenancePart struct {
	Name string
	Ns   int64
}

// Parts returns the parts, best first.
func (p Provenance) Parts() []ProvenancePart {
	return []ProvenancePart{{"recorded", p.RecordedNs()}, {"inferred", p.InferredNs}, {"unknown", p.UnknownNs}}
}

// NewProvenance names the parts of a sum.
func NewProvenance(p analysis.Known) Provenance {
	return Provenance{ExactNs: p[analysis.ByTenure], SampledNs: p[analysis.BySample], InferredNs: p[analysis.ByInference], UnknownNs: p[analysis.ByNothing], RightNs: p.Right()}
}

// NewAnalyze builds the document; top limits the locks, and each list within
// one, 0 means all.
func NewAnalyze(t Trace, cov Coverage, tr *analysis.Trace, sums *locks.Collector, o Overview, top int) *Analyze {
	a := &Analyze{Schema: "contend.analyze/2", Trace: t, Coverage: cov, Locks: []Lock{}, Deadlocks: []Deadlock{}, Beside: Beside{Resources: []Resource{}}, Total: NewTotal(sums),
		ElapsedNs: tr.ElapsedNs, Findings: newFindings(o.Findings, o.Locks), Phases: []Phase{}, NotCounted: notCounted(cov.Warnings)}
	a.WaitingThreads = waitingThreads(tr, cov, a.Total.WaitNs)
	if cov.Unit == "ns" { // a count has no instant
		a.Phases = append(a.Phases, NewPhases(o.Phases, top)...)
	}
	byID := map[uint32]*locks.Lock{}
	for i := range o.Locks {
		byID[o.Locks[i].ID] = &o.Locks[i]
	}
	seen := tr.SeenBy(sums.ByClass())
	for i, r := range sums.Top(top) {
		l := newLock(&r, tr.Symbols, byID[r.ID], top)
		l.Calibration = newCalibration(l.Provenance, seen[r.ID])
		if i < maxUncertain && cov.Unit == "ns" {
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
		a.Rest = append(a.Rest, Rest{newLock(&r, tr.Symbols, l, top), len(l.Of), biggest})
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
	return Lock{Lock: r.Lock, Class: r.Class, Kind: r.Kind, Waits: r.Waits, Failed: r.Failed, WaitNs: r.WaitNs, WallNs: r.WallNs, MaxNs: r.MaxNs, P50Ns: r.P50Ns, P99Ns: r.P99Ns,
		CSP: r.CSP, Waiters: r.Waiters, Moved: r.Addresses, Created: created, Provenance: NewProvenance(r.ByProvenance), Site: o.Site, Owners: owners(o, top), Waiting: append([]Site{}, limit(o.Waiters, top)...)}
}

func newDeadlock(number int, d analysis.Deadlock, sym *analysis.Symbols, took func(format.StackID, format.ObjectID) string) Deadlock {
	out := Deadlock{Number: number, SinceNs: d.Since, Queued: []string{}}
	for i, l := range d.Cycle {
		held := d.Cycle[(i+len(d.Cycle)-1)%len(d.Cycle)].Lock // the one before waits for it
		out.Cycle = append(out.Cycle, Member{sym.ThreadName(l.Thread), sym.LockName(l.Lock), sym.ClassName(l.Lock), sym.LockName(held), took(l.Stack, held), NewStack(sym.Frames(l.Stack))})
	}
	for _, t := range d.Queued {
		out.Queued = append(out.Queued, sym.ThreadName(t))
	}
	return out
}

// NewStack converts a stack; it is never null in JSON.
func NewStack(frames []format.Frame) Stack { return append(Stack{}, frames...) }

// limit returns the first n rows, all for n == 0.
func limit[T any](rows []T, n int) []T {
	if n > 0 && n < len(rows) {
		return rows[:n]
	}
	return rows
}
