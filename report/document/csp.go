package document

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"contend/csp"
)

// CSP is the document of `contend csp`. NewCSP does not fill the lists of intervals and phases, which
// may be hundreds of thousands: Each and EachPhase make them.
type CSP struct {
	Schema     string     `json:"schema"`
	StartNs    int64      `json:"-"` // of the trace: the origin of times in tables, --from and --to
	IntervalNs int64      `json:"intervalNs"`
	Sampled    bool       `json:"sampled"` // the sums are estimates
	Intervals  []Interval `json:"intervals"`
	Phases     []Phase    `json:"phases"`
	Metrics    []Metric   `json:"metrics,omitempty"`
	Total      Total      `json:"total"`
	Coverage   Coverage   `json:"coverage"`

	series *csp.Series // makes the intervals and phases of a document without the lists
}

// The items of the lists are types of package csp.
type (
	Interval = csp.Interval
	Pressure = csp.Pressure
	Phase    = csp.Phase
	Segment  = csp.Segment
	Cause    = csp.Cause
	Metric   = csp.Metric
)

// NewPhases returns the phases, the largest first; top limits them, 0 means all.
func NewPhases(s *csp.Series, top int) []Phase { return limit(s.Phases, top) }

// NewCSP builds the document. It always has every interval and lock, so that
// its sums equal the total. Times are shown as counted from start.
func NewCSP(s *csp.Series, start int64, m []csp.Metric, total Total, cov Coverage) *CSP {
	d := &CSP{
		Schema:     "contend.csp/1",
		StartNs:    start,
		IntervalNs: s.IntervalNs,
		Sampled:    s.Sampled && cov.Timed(),
		Intervals:  []Interval{},
		Phases:     []Phase{},
		Metrics:    m,
		Total:      total,
		Coverage:   cov,
		series:     s,
	}
	if d.Sampled {
		d.Coverage.Pressure = cov.pressureWithin(&total, s.PlusMinus)
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
	return d.series.Intervals()
}

// EachPhase returns the phases, the largest first; top limits them, 0 means all.
func (d *CSP) EachPhase(top int) iter.Seq[Phase] {
	list := d.Phases
	if d.series != nil {
		list = d.series.Phases
	}
	return slices.Values(limit(list, top))
}

// write prints the document like Write, but makes each interval and phase when it is printed.
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

// fill prints a document up to an empty list of a name, and fills the list with items. The list must
// precede any text of the trace. It returns the rest of the document.
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
