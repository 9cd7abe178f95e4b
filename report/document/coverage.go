package document

import (
	"cmp"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// How the owners of some waiting are known is what package blame makes.
type (
	Provenance     = blame.Provenance
	ProvenancePart = blame.ProvenancePart
)

// NewProvenance names the parts of a sum.
var NewProvenance = blame.NewProvenance

// UnitNs is the unit of the waiting of traces that measure time.
const UnitNs = "ns"

// Coverage says what was read, how owners are known, and what is missing.
type Coverage struct {
	Unit       string           `json:"unit"` // of all waiting: ns, delays, threads, acquisitions
	Events     int64            `json:"events"`
	BytesRead  int64            `json:"bytesRead"`
	BytesTotal int64            `json:"bytesTotal"`
	Provenance Provenance       `json:"provenance"`
	Sampler    *Sampler         `json:"sampler,omitempty"` // absent where samples do not say when they were due
	Warnings   []format.Warning `json:"warnings"`
	Goroutines bool             `json:"-"` // what waits are goroutines, not threads
	Places     Places           `json:"-"` // by which people know locks

	Calibration *Calibration `json:"calibration,omitempty"`    // absent where no owner is inferred
	Short       *Bounds      `json:"belowThreshold,omitempty"` // of waiting too short to be recorded; absent where all was
	Running     *Bounds      `json:"running,omitempty"`        // of the running time; absent where it is known
	Pressure    *Shares      `json:"pressure,omitempty"`       // the range of that of all locks; absent where it is known to a point
}

// Timed reports whether waiting has a duration and instants.
func (c *Coverage) Timed() bool { return c.Unit == UnitNs }

// Warned reports whether there is a warning of a code.
func (c *Coverage) Warned(code string) bool {
	_, is := format.FindWarning(c.Warnings, code)
	return is
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
	ExpectedRight *float64 `json:"expectedRight"` // share; null when not known
	Dumps         int      `json:"dumps"`
	Waiters       int64    `json:"waiters"`
	Agreeing      int64    `json:"agreeing"`
}

func newCalibration(p Provenance, seen analysis.Agreement) *Calibration {
	share, ok := p.Right()
	if !ok {
		return nil
	}
	return &Calibration{seen.Dumps, seen.Waiters, seen.Agreeing, []ExpectedProvenance{{"inferred", p.InferredNs, &share, seen.Dumps, seen.Waiters, seen.Agreeing}}}
}

// Sampler says how late samples were taken.
type Sampler struct {
	Samples int64    `json:"samples"`
	Late    *Lengths `json:"late"`   // actual less intended time, with entries for the samples skipped meanwhile
	LateNs  int64    `json:"lateNs"` // time in which a sample was due and not taken
	SpanNs  int64    `json:"spanNs"` // from the first instant a sample was due to the last sample
}

// Goroutines reports whether what waits in a format are goroutines.
func Goroutines(format string) bool {
	return strings.HasPrefix(format, "go ") || strings.HasPrefix(format, "goroutine")
}

// NewCoverage joins what the decoder and the analysis report.
func NewCoverage(st format.Stats, tr *analysis.Trace) Coverage {
	c := Coverage{Unit: cmp.Or(string(st.Unit), UnitNs), Goroutines: Goroutines(st.Format), Events: st.Events, BytesRead: st.BytesRead, BytesTotal: st.BytesTotal,
		Provenance: NewProvenance(tr.Coverage.ByProvenance), Warnings: append(append([]format.Warning{}, st.Warnings...), tr.Coverage.Warnings...)}
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
	if st.Blind != "" && c.Timed() && tr.Coverage.ByProvenance == (analysis.Known{}) && len(tr.Deadlocks) == 0 {
		c.Warnings = append(c.Warnings, format.Warning{Code: format.CodeBlind, Text: "deadlocks would not show: " + st.Blind})
	}
	return c
}
