package document

import (
	"contend/analysis/durations"
	"contend/blame/waits"
)

// Hist is the document of `contend hist`.
type Hist struct {
	Schema     string    `json:"schema"`
	By         []string  `json:"by"`
	ExpectedNs int64     `json:"expectedNs,omitempty"` // the intended interval of waits, for the correction
	Rows       []HistRow `json:"rows"`
	Total      HistRow   `json:"total"`
	Coverage   *Coverage `json:"coverage,omitempty"` // absent when only interval logs were read

	omitted int
	lastNs  int64
}

// Omitted returns the number of rows beyond the limit.
func (d *Hist) Omitted() int { return d.omitted }

// LastNs returns the end of the recording; 0 if it is unknown.
func (d *Hist) LastNs() int64 { return d.lastNs }

// SetLastNs sets the end of the recording.
func (d *Hist) SetLastNs(ns int64) { d.lastNs = ns }

// HistRow holds the distributions of the waits of one combination of keys. Unrecorded ones are
// absent.
type HistRow struct {
	Keys      []string `json:"keys"`
	StartNs   int64    `json:"startNs,omitempty"` // of its interval, if rows are intervals
	EndNs     int64    `json:"endNs,omitempty"`
	Waits     int64    `json:"waits"`
	Exact     *Lengths `json:"exact,omitempty"`     // waits recorded whole
	Corrected *Lengths `json:"corrected,omitempty"` // exact, corrected for coordinated omission
	AtLeast   *Lengths `json:"atLeast,omitempty"`   // sampled waits, from their first sample to their last
	AtMost    *Lengths `json:"atMost,omitempty"`    // sampled waits, from the sample before to the sample after
	Open      int64    `json:"open,omitempty"`      // sampled waits whose upper bound is the edge of the recording
}

// Lengths are the percentiles of durations, to three digits.
type Lengths struct {
	Count  int64 `json:"count"`
	MinNs  int64 `json:"minNs"`
	MeanNs int64 `json:"meanNs"`
	P50Ns  int64 `json:"p50Ns"`
	P90Ns  int64 `json:"p90Ns"`
	P99Ns  int64 `json:"p99Ns"`
	P999Ns int64 `json:"p999Ns"`  // 99.9 %
	P4Ns   int64 `json:"p9999Ns"` // 99.99 %
	MaxNs  int64 `json:"maxNs"`

	curve []Point
	bars  []Band
}

// Curve returns the percentile curve, for plots.
func (l *Lengths) Curve() []Point { return l.curve }

// Bars returns the bands of durations, for bar charts.
func (l *Lengths) Bars() []Band { return l.bars }

// The parts of charts.
type (
	Point = durations.Point // one place on a percentile curve
	Band  = durations.Band  // one bar
)

// NewHist builds the document; top limits the rows, 0 means all.
func NewHist(by []string, expected int64, rows []waits.Row, total *waits.Lengths, cov *Coverage, top int) *Hist {
	d := &Hist{
		Schema:     "contend.hist/1",
		By:         by,
		ExpectedNs: expected,
		Rows:       []HistRow{},
		Coverage:   cov,
		Total:      newHistRow(&waits.Row{Keys: []string{}, Lengths: total}),
	}
	shown := limit(rows, top)
	for i := range shown {
		d.Rows = append(d.Rows, newHistRow(&shown[i]))
	}
	d.omitted = len(rows) - len(shown)
	return d
}

func newHistRow(l *waits.Row) HistRow {
	return HistRow{
		Keys:      l.Keys,
		StartNs:   l.Start,
		EndNs:     l.End,
		Waits:     l.Lengths.Waits(),
		Exact:     NewLengths(&l.Lengths.Exact),
		Corrected: NewLengths(&l.Lengths.Corrected),
		AtLeast:   NewLengths(&l.Lengths.AtLeast),
		AtMost:    NewLengths(&l.Lengths.AtMost),
		Open:      l.Lengths.Open,
	}
}

// NewLengths summarises a distribution; nil for an empty one.
func NewLengths(d *durations.Distribution) *Lengths {
	if d.Count() == 0 {
		return nil
	}
	return &Lengths{
		Count:  d.Count(),
		MinNs:  d.Min(),
		MeanNs: d.Mean(),
		P50Ns:  d.Percentile(50),
		P90Ns:  d.Percentile(90),
		P99Ns:  d.Percentile(99),
		P999Ns: d.Percentile(99.9),
		P4Ns:   d.Percentile(99.99),
		MaxNs:  d.Max(),
		curve:  d.Curve(),
		bars:   d.Bands(),
	}
}
