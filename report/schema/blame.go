package schema

import (
	"contend/blame"
	"contend/csp"
	"contend/format"
)

// Blame is the document of `contend blame`.
type Blame struct {
	Schema   string     `json:"schema"`
	By       []string   `json:"by"`
	Metric   string     `json:"metric"` // "direct" or "root"
	Rows     []BlameRow `json:"rows"`
	Total    Total      `json:"total"`
	Coverage Coverage   `json:"coverage"`

	Omitted   int   `json:"-"` // rows behind the limit, and their sum
	OmittedNs int64 `json:"-"`
}

// BlameRow is one combination of keys. Stack belongs to the first stack key;
// Stacks holds all of them when there are several.
type BlameRow struct {
	Keys     []string         `json:"keys"`
	Stack    Stack            `json:"stack,omitempty"`
	Stacks   map[string]Stack `json:"stacks,omitempty"`
	ThreadNs int64            `json:"threadNs"`
	WallNs   int64            `json:"wallNs"`
	Waits    int64            `json:"waits"`
	*Doubt
	Provenance Provenance `json:"provenance"`
}

// NewBlame builds the document; top limits the rows, 0 means all.
func NewBlame(t *blame.Table, runningNs int64, cov Coverage, top int) *Blame {
	b := &Blame{Schema: "contend.blame/1", Metric: "direct", Rows: []BlameRow{}, Coverage: cov,
		Total: Total{Waits: t.Total.Waits, WaitNs: t.Total.ThreadNs, WallNs: t.Total.WallNs, RunningNs: runningNs}}
	if t.Root {
		b.Metric = "root"
	}
	var stackKeys []string
	for _, k := range t.By {
		b.By = append(b.By, k.String())
		if k.IsStack() {
			stackKeys = append(stackKeys, k.String())
		}
	}
	shown := limit(t.Rows, top)
	for i := range shown {
		row := newBlameRow(&shown[i], stackKeys)
		if e, ok := t.Estimate(&shown[i]); ok && i < doubted && cov.Unit == "ns" {
			row.Doubt = newDoubt(e)
		}
		b.Rows = append(b.Rows, row)
	}
	for _, r := range t.Rows[len(shown):] {
		b.Omitted++
		b.OmittedNs += r.ThreadNs
	}
	return b
}

func newBlameRow(r *blame.Row, stackKeys []string) BlameRow {
	out := BlameRow{Keys: r.Keys, ThreadNs: r.ThreadNs, WallNs: r.WallNs, Waits: r.Waits, Provenance: NewProvenance(r.ByProvenance)}
	for i, frames := range r.Stacks {
		if i == 0 {
			out.Stack = NewStack(frames)
		}
		if len(stackKeys) > 1 {
			if out.Stacks == nil {
				out.Stacks = map[string]Stack{}
			}
			out.Stacks[stackKeys[i]] = NewStack(frames)
		}
	}
	return out
}

// CSP is the document of `contend csp`.
type CSP struct {
	Schema     string     `json:"schema"`
	IntervalNs int64      `json:"intervalNs"`
	Sampled    bool       `json:"sampled"` // the sums are estimates
	Intervals  []Interval `json:"intervals"`
	Phases     []Phase    `json:"phases"`
	Metrics    []Metric   `json:"metrics,omitempty"`
	Total      Total      `json:"total"`
	Coverage   Coverage   `json:"coverage"`
}

// Interval is one measurement interval with the locks contended in it.
type Interval struct {
	StartNs   int64      `json:"startNs"`
	EndNs     int64      `json:"endNs"`
	RunningNs int64      `json:"runningNs"`
	Locks     []Pressure `json:"locks"`
}

// Pressure is one lock in one interval.
type Pressure struct {
	Class  string  `json:"class"`
	Lock   string  `json:"lock"`
	WaitNs int64   `json:"waitNs"`
	CSP    float64 `json:"csp"`

	PlusMinus *float64 `json:"cspPlusMinus,omitempty"` // half of the 95 % interval; absent when exact, or when the samples are too few to tell
}

// Phase is a stretch over which the pressure of a lock stays high.
type Phase struct {
	Class   string  `json:"class"`
	Lock    string  `json:"lock"`
	StartNs int64   `json:"startNs"`
	EndNs   int64   `json:"endNs"`
	WaitNs  int64   `json:"waitNs"`
	CSP     float64 `json:"csp"`

	PlusMinus *float64 `json:"cspPlusMinus,omitempty"`

	Causes []Cause `json:"causes"`
}

// Cause is an owner call chain with the waiting it caused.
type Cause struct {
	Owner  string `json:"owner"`
	WaitNs int64  `json:"waitNs"`
}

// Metric is one lock under the older metrics; null where the trace does not
// record tenures.
type Metric struct {
	Class             string   `json:"class"`
	Lock              string   `json:"lock"`
	CSP               float64  `json:"csp"`
	FailedPerSecond   float64  `json:"failedPerSecond"`
	FailedPerAcquired *float64 `json:"failedPerAcquired"`
	InsidePerElapsed  *float64 `json:"insidePerElapsed"`
	InsidePerAll      *float64 `json:"insidePerAll"`
	WaitPerElapsed    float64  `json:"waitPerElapsed"`
}

// NewPhases converts phases; top limits them, 0 means all.
func NewPhases(s *csp.Series, top int) []Phase {
	out := []Phase{}
	for _, p := range limit(s.Phases, top) {
		ph := Phase{p.Class, p.Lock, p.StartNs, p.EndNs, p.WaitNs, p.CSP, p.PlusMinus, []Cause{}}
		for _, c := range p.Causes {
			ph.Causes = append(ph.Causes, Cause(c))
		}
		out = append(out, ph)
	}
	return out
}

// NewCSP builds the document. It always holds every interval and lock, so
// that its sums equal the total.
func NewCSP(s *csp.Series, m []csp.Metric, total Total, cov Coverage) *CSP {
	d := &CSP{Schema: "contend.csp/1", IntervalNs: s.IntervalNs, Sampled: s.Sampled && cov.Unit == "ns", Intervals: []Interval{}, Phases: NewPhases(s, 0), Total: total, Coverage: cov}
	for _, iv := range s.Intervals {
		out := Interval{iv.StartNs, iv.EndNs, iv.RunningNs, []Pressure{}}
		for _, l := range iv.Locks {
			out.Locks = append(out.Locks, Pressure{l.Class, l.Lock, l.WaitNs, l.CSP, l.PlusMinus})
		}
		d.Intervals = append(d.Intervals, out)
	}
	for _, r := range m {
		d.Metrics = append(d.Metrics, Metric{r.Class, r.Lock, r.CSP, r.FailedPerSecond, known(r.FailedPerAcquired), known(r.InsidePerElapsed), known(r.InsidePerAll), r.WaitPerElapsed})
	}
	return d
}

// known is nil for a ratio the trace cannot give.
func known(v float64) *float64 {
	if v < 0 {
		return nil
	}
	return &v
}

// Frames converts a stack back for printing.
func (s Stack) Frames() []format.Frame {
	frames := make([]format.Frame, len(s))
	for i, f := range s {
		frames[i] = format.Frame{Class: f.Class, Method: f.Method, Line: f.Line}
	}
	return frames
}
