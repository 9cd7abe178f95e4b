package analysis

import (
	"cmp"

	"contend/format"
)

// part is what is known of one input among several that are read as one
// trace. Their threads are apart, and so are their clocks, for all one knows:
// a thread lives no longer than its own input was recorded.
type part struct {
	first, last    int64 // earliest and latest instant of anything recorded
	hasRuns        bool  // execution samples: a thread that ran would show
	recorded, gaps int   // where its own begin in the record
}

// UnnamedInput is the label of what no setting names.
const UnnamedInput = "[unnamed input]"

// input begins the next input of the trace; label names it, as the one before
// where it is empty.
func (s *Symbols) input(label string) {
	s.part++
	if label == "" && s.part > 1 {
		return
	}
	s.label = s.inputs.ID(cmp.Or(label, UnnamedInput))
}

// Input returns the dense id of the input a thread belongs to; Inputs names
// it.
func (s *Symbols) Input(id format.ThreadID) uint32 {
	if id != format.NoThread && int(id) < len(s.threads) && s.threads[id].part > 0 {
		return s.threads[id].input
	}
	return s.inputs.ID(UnnamedInput)
}

// Inputs names the ids of inputs.
func (s *Symbols) Inputs() *Interner { return &s.inputs }

// partOf returns the number of the input a thread belongs to.
func (s *Symbols) partOf(id int) int {
	if id < len(s.threads) {
		return s.threads[id].part
	}
	return 0
}

// next begins the next input.
func (r *record) next() {
	r.parts = append(r.parts, part{first: format.NoTime, last: format.NoTime, recorded: len(r.recorded), gaps: len(r.gaps)})
}

// part returns the input being read.
func (r *record) part() *part { return &r.parts[len(r.parts)-1] }

func (p *part) seen(from, to int64) {
	if p.first == format.NoTime || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
}

// span returns the stretch threads of an input may live in: all of the trace,
// [start, end), when it is the only one.
func (r *record) span(part int, start, end int64) (int64, int64) {
	if part >= len(r.parts) || r.parts[part].first == format.NoTime || r.lone() {
		return start, end
	}
	return max(r.parts[part].first, start), min(r.parts[part].last, end)
}

// lone reports whether no more than one input recorded anything.
func (r *record) lone() bool {
	recorded := 0
	for i := range r.parts {
		if r.parts[i].first == format.NoTime {
			continue
		}
		if recorded++; recorded == 2 {
			return false
		}
	}
	return true
}

// begin charges what is open and begins the next input: its ticks know nothing
// of those before, whose time they may share.
func (s *sampler) begin() {
	s.finish()
	s.prev, s.intended, s.period, s.edge = format.NoTime, format.NoTime, 0, format.NoTime
	s.before += s.threads
	s.threads = 0
	s.number++ // no wait goes on
}
