package record

import (
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// observed is when the threads of an input were visible: during the span, except between
// its recordings.
type observed struct {
	times.Span
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

// Elapsed returns how much of [from, to) was covered by recordings of any input.
func (r *Record) Elapsed(from, to int64) (ns int64) {
	var seen []times.Span
	for _, in := range r.Observed(from, to) {
		at := max(in.Start, from)
		for _, b := range in.Between {
			seen, at = append(seen, times.Span{Start: at, End: b.Start}), b.End
		}
		seen = append(seen, times.Span{Start: at, End: min(in.End, to)})
	}
	return times.Within(times.UnionOf(seen), times.Span{Start: from, End: to})
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
