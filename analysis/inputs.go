package analysis

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// part is what is known of one input among several that are read as one
// trace. Their threads are apart, and so are their clocks, for all one knows:
// a thread lives no longer than its own input was recorded.
type part struct {
	first, last int64 // earliest and latest instant of anything recorded
	hasRuns     bool  // execution samples: a thread that ran would show
	recorded    int   // where its own stretches begin in the record
	gaps        gapIndex
}

// UnnamedInput is the label of what no setting names.
const UnnamedInput = "[unnamed input]"

// input begins the next input of the trace; label names it, as the one before
// where it is empty.
func (d *definitions) input(label string) {
	d.part++
	if label != "" {
		d.label = d.inputs.ID(label)
	}
}

// Input returns the dense id of the input a thread belongs to; Inputs names
// it.
func (d *definitions) Input(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(d.threads) {
		return d.threads[id].input
	}
	return unknownName
}

// Inputs names the ids of inputs.
func (d *definitions) Inputs() *Interner { return &d.inputs }

// partOf returns the number of the input a thread belongs to.
func (d *definitions) partOf(id int) int {
	if id < len(d.threads) {
		return d.threads[id].part
	}
	return 0
}

// next begins the next input.
func (r *record) next() {
	r.parts = append(r.parts, part{first: format.NoTime, last: format.NoTime, recorded: len(r.recorded)})
}

// part returns the input being read.
func (r *record) part() *part { return &r.parts[len(r.parts)-1] }

func (p *part) seen(from, to int64) {
	if p.first == format.NoTime || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
}

// observed is when the threads of an input could be seen: over the span, but
// not between its recordings.
type observed struct {
	span
	between []span
}

// observed returns when the threads of each input could be seen. Those of the
// only one live over all of the trace, [start, end).
func (r *record) observed(start, end int64) []observed {
	out := make([]observed, len(r.parts))
	several := r.inputs() > 1
	for i := range r.parts {
		p, next := &r.parts[i], len(r.recorded)
		if i+1 < len(r.parts) {
			next = r.parts[i+1].recorded
		}
		out[i] = observed{span{start, end}, between(r.recorded[p.recorded:next])}
		if several && p.first != format.NoTime {
			out[i].span = span{max(p.first, start), min(p.last, end)}
		}
	}
	return out
}

// inputs returns how many inputs recorded anything.
func (r *record) inputs() (n int) {
	for i := range r.parts {
		if r.parts[i].first != format.NoTime {
			n++
		}
	}
	return n
}

// sameRecording is how far apart two stretches of one recording may be: a
// recorder that begins a new piece of a file takes a moment.
const sameRecording = int64(1e9)

// between returns the stretches between recordings, in order of time.
func between(recorded []span) (out []span) {
	recorded = slices.SortedFunc(slices.Values(recorded), func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i, end := 1, int64(math.MinInt64); i < len(recorded); i++ {
		end = max(end, recorded[i-1].end)
		if start := recorded[i].start; start > end && start-end > sameRecording {
			out = append(out, span{end, start})
		}
	}
	return out
}

// begin charges what is open and begins the next input: its ticks know nothing
// of those before, whose time they may share.
func (s *sampler) begin() {
	s.finish()
	s.prev, s.intended, s.period, s.told, s.edge = format.NoTime, format.NoTime, 0, false, format.NoTime
	s.before += s.threads
	s.threads = 0
	s.number++ // no wait goes on
}
