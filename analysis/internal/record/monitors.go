package record

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
	"contend/format/column"
)

// Ending is which thread ended a wait that is for no lock, other than a wait to be notified.
type Ending struct {
	at        int64 // the end of the wait
	woken, By format.ThreadID
	Stack     format.StackID // of By; NoStack if unknown
}

// endings keeps them until the source ends, at 24 bytes each.
type endings struct {
	added  column.Column[Ending]
	sorted []Ending
}

func (e *endings) addEnding(one Ending) {
	if one.By != format.NoThread {
		e.added.Append(one)
	}
}

func (e Ending) compare(o Ending) int {
	return cmp.Or(cmp.Compare(e.woken, o.woken), cmp.Compare(e.at, o.at))
}

// Sort prepares for Find. If several ended one wait, the first one read comes first.
func (e *endings) Sort() {
	e.sorted = e.added.List()
	e.added.Clear()
	slices.SortStableFunc(e.sorted, Ending.compare)
}

// Any reports whether any such event is known.
func (e *endings) Any() bool { return len(e.sorted) > 0 }

// Find returns the event that ended the wait of a thread at an instant, zero if unknown.
func (e *endings) Find(woken format.ThreadID, at int64) Ending {
	i, found := slices.BinarySearchFunc(e.sorted, Ending{at: at, woken: woken}, Ending.compare)
	if !found {
		return Ending{}
	}
	return e.sorted[i]
}

// OwnAwait reports whether application code calls await directly.
func OwnAwait(frames []format.Frame) bool {
	i := slices.IndexFunc(frames, func(f format.Frame) bool { return f.Class == analysis.ConditionObject })
	for i >= 0 && i < len(frames) && frames[i].Class == analysis.ConditionObject {
		i++
	}
	return i > 0 && i < len(frames) && !format.OfJDK(frames[i])
}
