package sampled

import (
	"slices"
	"time"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/format"
	"contend/format/human"
)

// stallLimit is the fraction of a recording, one in stallLimit, beyond which a late sampler
// is a reason for doubt: 5 %.
const stallLimit = 20

// Warning reports a sampler that was late for too much of the recording.
func (s *stalls) Warning() []format.Warning {
	if s.Total.LateNs <= s.Total.SpanNs/stallLimit {
		return nil
	}
	return []format.Warning{
		{
			Code: format.CodeStalls,
			Text: human.Say(
				"the sampler was late for %.1f %% of the recording, at most by %v: that time has no samples",
				100*float64(s.Total.LateNs)/float64(s.Total.SpanNs),
				time.Duration(s.Total.Late.Max()),
			),
		},
	}
}

// stalls collects how late samples were taken. It holds one sample back, because the next
// one shows whether any were skipped.
type stalls struct {
	Total            analysis.Stalls
	held             bool
	intended, actual int64 // of the sample held
	started          bool
	first, last      int64
}

// begin holds a sample.
func (s *stalls) begin(intended, actual int64) {
	s.held = true
	s.intended = intended
	s.actual = actual
}

// resolve counts the held sample if it lies within the filter's cut; next is when the next
// one was due. If that is more than a period later, the samples due in between were
// skipped. A sampler that catches up instead has an entry for each of them.
func (s *stalls) resolve(e *deliver.Emitter, period, next int64) {
	if !s.held {
		return
	}
	s.held = false
	if _, _, ok := e.Cut(s.actual, s.actual); !ok {
		return
	}
	if !s.started {
		s.started = true
		s.first = min(s.intended, s.actual)
		s.last = min(s.intended, s.actual)
	}
	late := max(s.actual-s.intended, 0)
	s.Total.Samples++
	if next > s.intended+period {
		s.Total.Late.AddCorrected(late, 1, period)
	} else {
		s.Total.Late.Record(late)
	}
	if s.actual > s.last {
		s.Total.LateNs += s.actual - max(min(s.intended, s.actual), s.last)
		s.last = s.actual
	}
	s.Total.SpanNs = s.last - s.first
}

// intervalMedian is the median of the first 255 intervals between sampling instants. These
// suffice, because a recorder does not change its period.
type intervalMedian struct {
	sorted [255]int64
	n      int
}

// addInterval adds an interval and returns the median.
func (d *intervalMedian) addInterval(next int64) int64 {
	if d.n < len(d.sorted) {
		at, _ := slices.BinarySearch(d.sorted[:d.n], next)
		copy(d.sorted[at+1:d.n+1], d.sorted[at:d.n])
		d.sorted[at] = next
		d.n++
	}
	return d.sorted[(d.n-1)/2]
}
