package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"contend/csp"
)

// CSP is the document of `contend csp`. One that NewCSP made has no list of
// intervals, which may be hundreds of thousands with many locks each: Each makes them.
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

	series *csp.Series // makes the intervals of a document that holds none
}

// What the document lists is what package csp makes.
type (
	Interval = csp.Interval
	Pressure = csp.Pressure
	Phase    = csp.Phase
	Turn     = csp.Turn
	Cause    = csp.Cause
	Metric   = csp.Metric
)

// NewPhases returns the phases, the largest first; top limits them, 0 means all.
func NewPhases(s *csp.Series, top int) []Phase { return limit(s.Phases, top) }

// NewCSP builds the document. It always has every interval and lock, so that
// its sums equal the total. Times are shown as counted from start.
func NewCSP(s *csp.Series, start int64, m []csp.Metric, total Total, cov Coverage) *CSP {
	d := &CSP{Schema: "contend.csp/1", StartNs: start, IntervalNs: s.IntervalNs, Sampled: s.Sampled && cov.Unit == "ns", Intervals: []Interval{}, Phases: append([]Phase{}, s.Phases...), Metrics: m, Total: total, Coverage: cov, series: s}
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

// TopPhases returns the phases, the largest first; top limits them, 0 means all.
func (d *CSP) TopPhases(top int) []Phase { return limit(d.Phases, top) }

// write prints the document as Write does any other, but makes each interval
// when it is printed.
func (d *CSP) write(w io.Writer) error {
	frame := *d
	frame.Intervals = []Interval{}
	text, err := encode(&frame, "")
	if err != nil {
		return err
	}
	// The name of the empty list comes before any text of the trace.
	before, after, ok := bytes.Cut(text, []byte(`"intervals": []`))
	if !ok {
		return errors.New("the document has no intervals")
	}
	if _, err := fmt.Fprintf(w, "%s\"intervals\": [", before); err != nil {
		return err
	}
	between, end := "\n    ", "]"
	for iv := range d.Each() {
		text, err := encode(iv, "    ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", between, bytes.TrimRight(text, "\n")); err != nil {
			return err
		}
		between, end = ",\n    ", "\n  ]"
	}
	_, err = fmt.Fprintf(w, "%s%s", end, after)
	return err
}
