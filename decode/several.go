package decode

import (
	"cmp"
	"slices"

	"contend/decode/threaddump"
	"contend/format"
)

// peeked bounds the events read ahead of an input to learn when it begins.
const peeked = 1 << 14

// joinDumps makes one series of all thread dumps that have the same label, or
// none, so that threads and locks are the same in all of them.
func (t *Trace) joinDumps() {
	series := map[string]*threaddump.Reader{}
	t.inputs = slices.DeleteFunc(t.inputs, func(in *input) bool {
		dumps, ok := in.reader.(*threaddump.Reader)
		if !ok {
			return false
		}
		first := series[in.label]
		if first == nil {
			series[in.label] = dumps
			return false
		}
		first.Join(dumps)
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
		in.peek()
	}
	slices.SortStableFunc(t.inputs, func(a, b *input) int { return cmp.Compare(a.begins, b.begins) })
}

// peek reads on to the first event that has a time, and keeps what it read.
// An error is kept too: it is met again when its turn comes.
func (in *input) peek() {
	var ev format.Event
	for in.ahead = (&format.List{}); len(in.ahead.Events) < peeked; {
		if in.fault = in.reader.Read(&ev); in.fault != nil {
			return
		}
		_ = in.ahead.Write(&ev) // a list takes everything
		if ev.Time != 0 {
			in.begins = ev.Time
			return
		}
	}
}

// Read yields what was read ahead, then what follows. Before all of it comes
// the setting that begins an input, when it has a label.
func (in *input) Read(ev *format.Event) error {
	if in.labelled {
		in.labelled = false
		ev.Reset()
		ev.Kind, ev.Name, ev.Value = format.KindSetting, format.SettingInput, in.label
		return nil
	}
	if in.ahead != nil {
		if in.ahead.Read(ev) == nil {
			return nil
		}
		in.ahead = nil
	}
	if in.fault != nil {
		return in.fault
	}
	return in.reader.Read(ev)
}
