package decode

import (
	"cmp"
	"slices"

	"contend/decode/threaddump"
)

// joinDumps joins all thread dumps with the same label, or none, into one series, so that
// threads and locks are the same in all of them.
func (t *Trace) joinDumps() {
	series := map[string]*threaddump.Reader{}
	t.inputs = slices.DeleteFunc(t.inputs, func(in *input) bool {
		first := series[in.label]
		switch {
		case in.dumps == nil:
			return false
		case first == nil:
			series[in.label] = in.dumps
			return false
		}
		first.Join(in.dumps)
		t.joined = append(t.joined, in)
		return true
	})
}

// label names the inputs and puts them in order of their beginning: slices of
// a later one never lie before the start of the trace.
func (t *Trace) label() {
	for _, in := range t.inputs {
		in.label, in.labelled = cmp.Or(in.label, in.name), true
	}
	if len(t.inputs) < 2 {
		return
	}
	for _, in := range t.inputs {
		if in.reader != nil { // else it was looked at before
			in.peek()
		}
	}
	slices.SortStableFunc(t.inputs, func(a, b *input) int { return cmp.Compare(a.begins, b.begins) })
}
