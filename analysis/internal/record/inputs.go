package record

import (
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// observed is when the threads of an input were visible: during the span, except between
// its recordings.
type observed struct {
	Span    times.Span
	Between []times.Span
}

// Observed returns, by input, when its threads were visible. A single input covers all of
// the trace, [start, end).
func (r *Record) Observed(start, end int64) []observed {
	out := make([]observed, len(r.Parts))
	several := r.inputs() > 1
	for i := range r.Parts {
		recorded := r.recordedOf(i)
		out[i] = observed{times.Span{Start: start, End: end}, between(recorded)}
		first, last := r.Parts[i].first, r.Parts[i].last
		for _, s := range recorded {
			if first == format.NoTime || s.Start < first {
				first = s.Start
			}
			last = max(last, s.End)
		}
		switch {
		case several && first != format.NoTime:
			out[i].Span = times.Span{Start: max(first, start), End: min(last, end)}
		case several:
			out[i].Span = times.Span{Start: start, End: start} // nothing was read before the first input
		}
	}
	return out
}

// recordedOf returns the recorded intervals of an input.
func (r *Record) recordedOf(i int) []times.Span {
	next := len(r.Recorded)
	if i+1 < len(r.Parts) {
		next = r.Parts[i+1].Recorded
	}
	return r.Recorded[r.Parts[i].Recorded:next]
}

// LastCut returns the last recorded interval of an input whose end the input lacks; false if there is none.
func (r *Record) LastCut(i int) (times.Span, bool) {
	if i >= len(r.Parts) || r.Parts[i].cut.index == 0 {
		return times.Span{}, false
	}
	return r.Recorded[r.Parts[i].cut.index-1], true
}

// Covered returns the parts of a span that were covered by recordings of any input, in order of time.
func (r *Record) Covered(cut times.Span) []times.Span {
	var seen []times.Span
	for _, in := range r.Observed(cut.Start, cut.End) {
		at := max(in.Span.Start, cut.Start)
		for _, b := range in.Between {
			seen, at = append(seen, times.Span{Start: at, End: b.Start}), b.End
		}
		seen = append(seen, times.Span{Start: at, End: min(in.Span.End, cut.End)})
	}
	return times.UnionOf(seen)
}

// inputs returns the number of inputs that recorded anything.
func (r *Record) inputs() (n int) {
	for i := range r.Parts {
		if r.Parts[i].first != format.NoTime || len(r.recordedOf(i)) > 0 {
			n++
		}
	}
	return n
}

// sameRecording bounds the time between two parts of one recording, ns: a recorder takes a
// moment to begin a new file.
const sameRecording = int64(1e9)

// between returns the intervals between recordings, in order of time.
func between(recorded []times.Span) (out []times.Span) {
	all := times.UnionOf(slices.Clone(recorded))
	for i := 1; i < len(all); i++ {
		if s := (times.Span{Start: all[i-1].End, End: all[i].Start}); s.End-s.Start > sameRecording {
			out = append(out, s)
		}
	}
	return out
}
