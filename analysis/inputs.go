package analysis

import (
	"slices"

	"contend/format"
)

// observed is when the threads of an input were visible: during the span, except between
// its recordings.
type observed struct {
	span
	between []span
}

// observed returns, by input, when its threads were visible. A single input covers all of
// the trace, [start, end).
func (r *record) observed(start, end int64) []observed {
	out := make([]observed, len(r.parts))
	several := r.inputs() > 1
	for i := range r.parts {
		p, next := &r.parts[i], len(r.recorded)
		if i+1 < len(r.parts) {
			next = r.parts[i+1].recorded
		}
		out[i] = observed{span{start, end}, between(r.recorded[p.recorded:next])}
		switch {
		case several && p.first != format.NoTime:
			out[i].span = span{max(p.first, start), min(p.last, end)}
		case several:
			out[i].span = span{start, start} // nothing was read before the first input
		}
	}
	return out
}

// elapsed returns how much of [from, to) was covered by recordings of any input.
func (r *record) elapsed(from, to int64) (ns int64) {
	var seen []span
	for _, in := range r.observed(from, to) {
		at := max(in.start, from)
		for _, b := range in.between {
			seen, at = append(seen, span{at, b.start}), b.end
		}
		seen = append(seen, span{at, min(in.end, to)})
	}
	return within(unionOf(seen), span{from, to})
}

// partlySeen reports whether some input may not show when its threads were idle.
func (r *record) partlySeen() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.ended })
}

// inputs returns the number of inputs that recorded anything.
func (r *record) inputs() (n int) {
	for i := range r.parts {
		if r.parts[i].first != format.NoTime {
			n++
		}
	}
	return n
}

// sameRecording is the longest distance between two parts of one recording: a recorder
// takes a moment to begin a new file.
const sameRecording = int64(1e9)

// between returns the intervals between recordings, in order of time.
func between(recorded []span) (out []span) {
	all := unionOf(slices.Clone(recorded))
	for i := 1; i < len(all); i++ {
		if s := (span{all[i-1].end, all[i].start}); s.end-s.start > sameRecording {
			out = append(out, s)
		}
	}
	return out
}
