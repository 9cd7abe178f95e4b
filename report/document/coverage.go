package document

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// UnitNs is the unit of the waiting of traces that measure time.
const UnitNs = "ns"

// Coverage describes the amount of data, the provenance of owners, and the gaps.
type Coverage struct {
	Unit       string     `json:"unit"` // of all waiting: ns, delays, threads, acquisitions
	Events     int64      `json:"events"`
	BytesRead  int64      `json:"bytesRead"`
	BytesTotal int64      `json:"bytesTotal"`
	Provenance Provenance `json:"provenance"`
	Sampler    *Sampler   `json:"sampler,omitempty"` // absent if samples have no intended times
	Warnings   []Warning  `json:"warnings"`

	Calibration *Calibration `json:"calibration,omitempty"` // absent if no owner is inferred
	// of waits below the threshold of the recorder; absent without one
	Short    *Bounds `json:"belowThreshold,omitempty"`
	Running  *Bounds `json:"running,omitempty"`  // of the running time; absent if it is known
	Pressure *Shares `json:"pressure,omitempty"` // the range for all locks; absent if it is narrow

	goroutines bool
	places     Places
}

// Goroutines reports whether the waiters are goroutines, not threads.
func (c *Coverage) Goroutines() bool { return c.goroutines }

// Places returns the sites in the names of locks.
func (c *Coverage) Places() Places { return c.places }

// SetPlaces sets the sites in the names of locks.
func (c *Coverage) SetPlaces(p Places) { c.places = p }

// Timed reports whether waiting has a duration and instants.
func (c *Coverage) Timed() bool { return c.Unit == UnitNs }

// Warned reports whether there is a warning of one of some codes.
func (c *Coverage) Warned(codes ...string) bool {
	return slices.ContainsFunc(c.Warnings, func(w Warning) bool { return slices.Contains(codes, w.Code) })
}

// Shares are the bounds of a share.
type Shares struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// widePressure is the least width of a range that is shown.
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

// pressureWithin returns the range of the pressure of a sampled total, which is
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

// PressureRange returns the range of a pressure that is known to half of an interval, by what is not
// known of the running time; nil if it is narrow.
func (c *Coverage) PressureRange(pressure float64, half *float64) *Shares {
	if c.Running == nil || c.Running.HighNs <= 0 {
		return nil
	}
	around := 0.0
	if half != nil {
		around = *half
	}
	low := max(pressure-around, 0) * analysis.Ratio(c.Running.LowNs, c.Running.HighNs)
	if pressure-low < widePressure {
		return nil
	}
	return &Shares{low, min(pressure+around, 1)}
}

// Bounds are the assumed value of an amount, and its upper bound.
type Bounds struct {
	LowNs  int64 `json:"lowNs"`
	HighNs int64 `json:"highNs"`
}

// Calibration is the expected accuracy of inferred owners. Thread dumps were hidden and then compared
// with the owners that were inferred without them.
type Calibration struct {
	Dumps      int                  `json:"dumps"`   // contended locks in hidden thread dumps
	Waiters    int64                `json:"waiters"` // threads that waited for them in the dumps
	Agreeing   int64                `json:"agreeing"`
	Effective  float64              `json:"effectiveDumps"` // dumps by Kish: one with a hundred waiters is still one
	Provenance []ExpectedProvenance `json:"provenances"`
}

// ExpectedProvenance is the expectation for the waiting of one provenance.
type ExpectedProvenance struct {
	Name          string   `json:"name"`
	WaitNs        int64    `json:"waitNs"`
	ExpectedRight *float64 `json:"expectedRight"` // share; null if unknown
	Dumps         int      `json:"dumps"`
	Waiters       int64    `json:"waiters"`
	Agreeing      int64    `json:"agreeing"`
}

func newCalibration(p Provenance, seen analysis.Agreement) *Calibration {
	share, ok := p.Right()
	if !ok {
		return nil
	}
	return &Calibration{
		Dumps:     seen.Dumps,
		Waiters:   seen.Waiters,
		Agreeing:  seen.Agreeing,
		Effective: seen.EffectiveN(),
		Provenance: []ExpectedProvenance{
			{"inferred", p.InferredNs, &share, seen.Dumps, seen.Waiters, seen.Agreeing},
		},
	}
}

// surveyed sets the intervals of the shares of a lock's owners: thread dumps are a survey of the waiting.
func (l *Lock) surveyed(seen analysis.Agreement) {
	for i := range l.Owners {
		o := &l.Owners[i]
		if half, ok := seen.Interval(o.Share); ok {
			o.SharePlusMinus = &half
		}
	}
}

// Sampler is the lateness of samples.
type Sampler struct {
	Samples int64    `json:"samples"`
	Late    *Lengths `json:"late"`   // actual less intended time, with an entry for each skipped sample
	LateNs  int64    `json:"lateNs"` // time in which a sample was due and not taken
	SpanNs  int64    `json:"spanNs"` // from the first instant a sample was due to the last sample
}

// Goroutines reports whether the waiters of a format are goroutines.
func Goroutines(format string) bool {
	return strings.HasPrefix(format, "go ") || strings.HasPrefix(format, "goroutine")
}

// NewCoverage joins the reports of the decoder and the analysis.
func NewCoverage(st format.Stats, tr *analysis.Trace) Coverage {
	c := Coverage{
		Unit:       cmp.Or(string(st.Unit), UnitNs),
		goroutines: Goroutines(st.Format),
		Events:     st.Events,
		BytesRead:  st.BytesRead,
		BytesTotal: st.BytesTotal,
		Provenance: NewProvenance(tr.Coverage.ByProvenance),
		Warnings:   NewWarnings(slices.Concat(st.Warnings, tr.Coverage.Warnings)),
	}
	if s := &tr.Coverage.Stalls; s.Samples > 0 {
		c.Sampler = &Sampler{s.Samples, NewLengths(&s.Late), s.LateNs, s.SpanNs}
	}
	c.Calibration = newCalibration(c.Provenance, tr.Coverage.SeenOfAll())
	if tr.Coverage.Threshold > 0 {
		c.Short = &Bounds{0, tr.RunningHigh}
	}
	if tr.RunningIsWide() {
		c.Running = &Bounds{tr.RunningNs, tr.RunningHigh}
	}
	c.Pressure = newPressureRange(tr, st.HalfNs(), st.HiddenNs())
	if st.Blind != "" && c.Timed() && tr.Coverage.ByProvenance == (analysis.Known{}) && len(tr.Deadlocks) == 0 {
		c.Warnings = append(
			c.Warnings,
			Warning{Code: format.CodeBlind, Text: "deadlocks would not show: " + st.Blind},
		)
	}
	return c
}
