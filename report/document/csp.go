package document

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"contend/csp"
)

// CSP is the document of `contend csp`. One that NewCSP made has no lists of
// intervals and phases, which may be hundreds of thousands: Each and EachPhase
// make them.
type CSP struct {
	Schema     string     `json:"schema"`
	StartNs    int64      `json:"-"` // of the trace: what tables, --from and --to count from
	IntervalNs int64      `json:"intervalNs"`
	Sampled    bool       `json:"sampled"` // the sums are estimates
	Intervals  []Interval `json:"intervals"`
	Phases     []Phase    `json:"phases"`
	Metrics    []Metric   `json:"metrics,omitempty"`
	Total      Total      `json:"total"`
	Coverage   Coverage   `json:"coverage"`

	series *csp.Series // makes the intervals and phases of a document that holds none
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
	Turns  []Turn  `json:"turns,omitempty"` // where the culprit changes; absent when one owner stays it
}

// Turn is a stretch of a phase over which one owner caused most of the waiting.
type Turn struct {
	StartNs int64 `json:"startNs"`
	EndNs   int64 `json:"endNs"`
	WaitNs  int64 `json:"waitNs"`
	Cause   Cause `json:"cause"`
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
	return slices.Collect(phases(limit(s.Phases, top)))
}

func phases(list []csp.Phase) iter.Seq[Phase] {
	return func(yield func(Phase) bool) {
		for i := range list {
			if !yield(newPhase(&list[i])) {
				return
			}
		}
	}
}

func newPhase(p *csp.Phase) Phase {
	out := Phase{p.Class, p.Lock, p.StartNs, p.EndNs, p.WaitNs, p.CSP, p.PlusMinus, make([]Cause, len(p.Causes)), nil}
	for _, t := range p.Turns {
		out.Turns = append(out.Turns, Turn{t.StartNs, t.EndNs, t.WaitNs, Cause(t.Cause)})
	}
	for i, c := range p.Causes {
		out.Causes[i] = Cause(c)
	}
	return out
}

// NewCSP builds the document. It always has every interval and lock, so that
// its sums equal the total. Times are shown as counted from start.
func NewCSP(s *csp.Series, start int64, m []csp.Metric, total Total, cov Coverage) *CSP {
	d := &CSP{Schema: "contend.csp/1", StartNs: start, IntervalNs: s.IntervalNs, Sampled: s.Sampled && cov.Unit == "ns", Intervals: []Interval{}, Phases: []Phase{}, Total: total, Coverage: cov, series: s}
	if d.Sampled {
		d.Coverage.Pressure = cov.pressureWithin(&total, s.PlusMinus)
	}
	for _, r := range m {
		d.Metrics = append(d.Metrics, Metric(r))
	}
	return d
}

// Len returns the number of intervals.
func (d *CSP) Len() int {
	if d.series != nil {
		return d.series.Len()
	}
	return len(d.Intervals)
}

// Each returns the intervals in order of time.
func (d *CSP) Each() iter.Seq[Interval] {
	if d.series == nil {
		return slices.Values(d.Intervals)
	}
	return func(yield func(Interval) bool) {
		for iv := range d.series.Intervals() {
			out := Interval{iv.StartNs, iv.EndNs, iv.RunningNs, make([]Pressure, len(iv.Locks))}
			for i, l := range iv.Locks {
				out.Locks[i] = Pressure{l.Class, l.Lock, l.WaitNs, l.CSP, l.PlusMinus}
			}
			if !yield(out) {
				return
			}
		}
	}
}

// EachPhase returns the phases, the largest first; top limits them, 0 means all.
func (d *CSP) EachPhase(top int) iter.Seq[Phase] {
	if d.series == nil {
		return slices.Values(limit(d.Phases, top))
	}
	return phases(limit(d.series.Phases, top))
}

// write prints the document as Write does any other, but makes each interval
// and phase when it is printed.
func (d *CSP) write(w io.Writer) error {
	frame := *d
	frame.Intervals, frame.Phases = []Interval{}, []Phase{}
	text, err := encode(&frame, "")
	if err != nil {
		return err
	}
	if text, err = fill(w, text, "intervals", d.Each()); err != nil {
		return err
	}
	if text, err = fill(w, text, "phases", d.EachPhase(0)); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// fill prints a document up to an empty list of that name, which comes before
// any text of the trace, with the items in the list. It returns the rest.
func fill[T any](w io.Writer, text []byte, name string, items iter.Seq[T]) (rest []byte, err error) {
	before, rest, ok := bytes.Cut(text, []byte(`"`+name+`": []`))
	if !ok {
		return nil, fmt.Errorf("the document has no %s", name)
	}
	if _, err := fmt.Fprintf(w, "%s%q: [", before, name); err != nil {
		return nil, err
	}
	between, end := "\n    ", "]"
	for item := range items {
		text, err := encode(item, "    ")
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(w, "%s%s", between, bytes.TrimRight(text, "\n")); err != nil {
			return nil, err
		}
		between, end = ",\n    ", "\n  ]"
	}
	_, err = io.WriteString(w, end)
	return rest, err
}
