package record

import (
	"slices"

	"contend/format"
)

// Window is the end of a growing trace: metadata, and the samples of the last windowLength.
type Window struct {
	names, last []format.Event // names include the settings
	waiters     int            // in the samples
	bytes       int            // of all events
}

// windowLength is the duration of a window in ns. mostKept bounds the bytes of the remembered
// events. A program may write any trace: one with long names and deep stacks, or one in which
// no time passes. From half of it on, names that no sample uses are forgotten; the agent itself
// remembers less than that.
const (
	windowLength = int64(4e9)
	mostKept     = 64 << 20
)

// AddEvent takes an event, and reports whether the previous sample is complete.
func (w *Window) AddEvent(ev *format.Event) (whole bool) {
	if w.bytes += footprint(ev); w.bytes > mostKept {
		*w = Window{bytes: footprint(ev)}
	}
	list := &w.last
	switch ev.Kind {
	case format.KindSetting, format.KindThread, format.KindObject, format.KindStack:
		list = &w.names
	case format.KindTick:
		whole = true
		w.forget(ev.Time - windowLength)
	case format.KindContention:
		w.waiters += len(ev.Waiters)
	}
	var kept format.List
	_ = kept.Write(ev)
	*list = append(*list, kept.Events...)
	return whole
}

// Waiters returns the number of waiters in all samples.
func (w *Window) Waiters() int { return w.waiters }

// Events returns the metadata, then the samples.
func (w *Window) Events() []format.Event { return slices.Concat(w.names, w.last) }

// footprint returns about how many bytes an event takes in memory.
func footprint(ev *format.Event) int {
	const event, frame, party = 384, 64, 12
	n := event + len(ev.Name) + len(ev.Group) + len(ev.Class) + len(ev.Value) + party*(len(ev.Owners)+len(ev.Waiters))
	for _, f := range ev.Frames {
		n += frame + len(f.Class) + len(f.Method) + len(f.File)
	}
	return n
}

// forget drops the samples before a time, and names when they have become many.
func (w *Window) forget(before int64) {
	n := 0
	for n < len(w.last) && w.last[n].Time < before {
		w.waiters -= len(w.last[n].Waiters)
		w.bytes -= footprint(&w.last[n])
		n++
	}
	w.last = slices.Delete(w.last, 0, n)
	if w.bytes < mostKept/2 {
		return
	}
	threads := map[format.ThreadID]bool{}
	locks := map[format.ObjectID]bool{}
	stacks := map[format.StackID]bool{}
	for i := range w.last {
		ev := &w.last[i]
		threads[ev.Thread] = true
		locks[ev.Object] = true
		stacks[ev.Stack] = true
		for _, list := range [][]format.Party{ev.Owners, ev.Waiters} {
			for _, p := range list {
				threads[p.Thread], stacks[p.Stack] = true, true
			}
		}
	}
	setting := map[string]int{} // the last setting of a name is valid
	for i, ev := range w.names {
		if ev.Kind == format.KindSetting {
			setting[ev.Name] = i
		}
	}
	kept := w.names[:0]
	for i, ev := range w.names {
		if threads[ev.Thread] && ev.Kind == format.KindThread || locks[ev.Object] && ev.Kind == format.KindObject ||
			stacks[ev.Stack] && ev.Kind == format.KindStack || ev.Kind == format.KindSetting && setting[ev.Name] == i {
			kept = append(kept, ev)
		} else {
			w.bytes -= footprint(&ev)
		}
	}
	clear(w.names[len(kept):])
	w.names = kept
}
