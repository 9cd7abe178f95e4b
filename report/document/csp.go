package document

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"contend/blame"
	"contend/csp"
)

// CSP is the document of `contend csp`. NewCSP does not fill the lists of intervals and phases, which
// may be hundreds of thousands: Each and EachPhase make them.
type CSP struct {
	Schema     string     `json:"schema"`
	IntervalNs int64      `json:"intervalNs"`
	Sampled    bool       `json:"sampled"` // the sums are estimates
	Intervals  []Interval `json:"intervals"`
	Phases     []Phase    `json:"phases"`
	Metrics    []Metric   `json:"metrics,omitempty"`
	Total      Total      `json:"total"`
	Coverage   Coverage   `json:"coverage"`

	startNs int64
	series  *csp.Series // makes the intervals and phases of a document without the lists
}

// OriginNs returns the start of the trace: the origin of times in tables, --from and --to.
func (d *CSP) OriginNs() int64 { return d.startNs }

// Interval is one measurement interval; locks without waiting in it are absent.
type Interval struct {
	StartNs   int64      `json:"startNs"`
	EndNs     int64      `json:"endNs"`
	RunningNs int64      `json:"runningNs"`
	Locks     []Pressure `json:"locks"` // descending by WaitNs
}

// Pressure is one lock, or one class of locks, in one interval.
type Pressure struct {
	Class  string  `json:"class"`
	Lock   string  `json:"lock"`
	WaitNs int64   `json:"waitNs"`
	CSP    float64 `json:"csp"` // WaitNs / RunningNs of the interval, in [0, 1]
	// half of the 95 % interval of CSP; nil if it is exact, or there are too few samples
	PlusMinus *float64 `json:"cspPlusMinus,omitempty"`
}

// Phase is a run of intervals in which the pressure of the locks of one class and site stays high.
type Phase struct {
	Class     string    `json:"class"`
	Lock      string    `json:"lock"`           // the one with most waiting
	Site      string    `json:"site,omitempty"` // in the name of the locks; "" if unknown, or of a class
	Locks     int       `json:"locks"`          // waited for in the phase
	StartNs   int64     `json:"startNs"`
	EndNs     int64     `json:"endNs"`
	WaitNs    int64     `json:"waitNs"`
	CSP       float64   `json:"csp"`
	PlusMinus *float64  `json:"cspPlusMinus,omitempty"` // as in Pressure
	Causes    []Cause   `json:"causes"`                 // owner call chains by waiting time caused, at most five
	Segments  []Segment `json:"turns,omitempty"`        // between changes of the main cause; nil if there are none
}

// Segment is a part of a phase with one main cause.
type Segment struct {
	StartNs int64 `json:"startNs"`
	EndNs   int64 `json:"endNs"`
	WaitNs  int64 `json:"waitNs"` // for all owners
	Cause   Cause `json:"cause"`  // the main cause
}

// Cause is one blamed call chain of a phase.
type Cause struct {
	Owner  string `json:"owner"` // its stack, innermost frame first, or a pseudo owner
	WaitNs int64  `json:"waitNs"`

	place csp.OwnerPlace
}

// Place returns the site that took the lock, and what the owner did; "" for what is not known.
func (c *Cause) Place() (site, doing string) {
	if c.place.Doing != blame.DoingUnknown {
		doing = c.place.Doing.String()
	}
	return c.place.Site, doing
}

// Metric is one lock's row. Ratios that need holds are nil if the trace does not record them.
type Metric struct {
	Class             string   `json:"class"`
	Lock              string   `json:"lock"`
	CSP               float64  `json:"csp"`               // over the whole recording
	FailedPerSecond   float64  `json:"failedPerSecond"`   // acquisitions that had to wait, per second elapsed
	FailedPerAcquired *float64 `json:"failedPerAcquired"` // the same over all acquisitions
	InsidePerElapsed  *float64 `json:"insidePerElapsed"`  // time in critical sections over time elapsed
	InsidePerAll      *float64 `json:"insidePerAll"`      // the same over that of all locks
	WaitPerElapsed    float64  `json:"waitPerElapsed"`    // time spent acquiring over time elapsed
}

// NewPhases returns the phases, the largest first; top limits them, 0 means all.
func NewPhases(s *csp.Series, top int) []Phase { return mapped(limit(s.Phases, top), newPhase) }

func newPhase(p *csp.Phase) Phase {
	return Phase{
		Class:     p.Class,
		Lock:      p.Lock,
		Site:      p.Site,
		Locks:     p.Locks,
		StartNs:   p.StartNs,
		EndNs:     p.EndNs,
		WaitNs:    p.WaitNs,
		CSP:       p.CSP,
		PlusMinus: p.PlusMinus,
		Causes:    mapped(p.Causes, newCause),
		Segments:  mapped(p.Segments, newSegment),
	}
}

func newCause(c *csp.Cause) Cause { return Cause{c.Owner, c.WaitNs, c.Place} }

func newSegment(s *csp.Segment) Segment {
	return Segment{
		StartNs: s.StartNs,
		EndNs:   s.EndNs,
		WaitNs:  s.WaitNs,
		Cause:   newCause(&s.Cause),
	}
}

func newInterval(iv *csp.Interval) Interval {
	return Interval{
		StartNs:   iv.StartNs,
		EndNs:     iv.EndNs,
		RunningNs: iv.RunningNs,
		Locks:     mapped(iv.Locks, newPressure),
	}
}

func newPressure(p *csp.Pressure) Pressure {
	return Pressure{
		Class:     p.Class,
		Lock:      p.Lock,
		WaitNs:    p.WaitNs,
		CSP:       p.CSP,
		PlusMinus: p.PlusMinus,
	}
}

// NewCSP builds the document. It always has every interval and lock, so that
// its sums equal the total. Times are shown as counted from start.
func NewCSP(s *csp.Series, start int64, m []csp.Metric, total Total, cov Coverage) *CSP {
	d := &CSP{
		Schema:     "contend.csp/1",
		startNs:    start,
		IntervalNs: s.IntervalNs,
		Sampled:    s.Sampled && cov.Timed(),
		Intervals:  []Interval{},
		Phases:     []Phase{},
		Metrics:    mapped(m, func(one *csp.Metric) Metric { return Metric(*one) }),
		Total:      total,
		Coverage:   cov,
		series:     s,
	}
	if d.Sampled {
		d.Coverage.Pressure = cov.pressureWithin(&total, s.PlusMinus)
	}
	return d
}

// SetOriginNs sets the start of the trace.
func (d *CSP) SetOriginNs(ns int64) { d.startNs = ns }

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
			if !yield(newInterval(&iv)) {
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
	return func(yield func(Phase) bool) {
		shown := limit(d.series.Phases, top)
		for i := range shown {
			if !yield(newPhase(&shown[i])) {
				return
			}
		}
	}
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
