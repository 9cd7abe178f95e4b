package record

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// monitorWaits keeps the waits at monitors until the source ends, at 40 bytes each.
type monitorWaits []MonitorWait

// MonitorWait is a wait at a monitor.
type MonitorWait struct {
	analysis.MonitorWait
	At format.ObjectID
}

func (m *monitorWaits) add(ev *format.Event, end int64) {
	if ev.Object != format.NoObject {
		*m = append(*m, MonitorWait{analysis.MonitorWait{Start: ev.Time, End: end, Thread: ev.Thread, By: ev.Owner, Stack: ev.Stack}, ev.Object})
	}
}

// Each calls f with the wanted waits at each monitor with a known notification, by end.
func (m monitorWaits) Each(wanted func(*MonitorWait) bool, f func(format.ObjectID, []analysis.MonitorWait)) {
	slices.SortFunc(m, func(a, b MonitorWait) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.End, b.End), cmp.Compare(a.Thread, b.Thread))
	})
	for rest := m; len(rest) > 0; {
		var waits []analysis.MonitorWait
		n, notified := 0, false
		for ; n < len(rest) && rest[n].At == rest[0].At; n++ {
			if notified = notified || rest[n].By != format.NoThread; wanted(&rest[n]) {
				waits = append(waits, rest[n].MonitorWait)
			}
		}
		if notified {
			f(rest[0].At, waits)
		}
		rest = rest[n:]
	}
}

// Ending is which thread ended a wait that is for no lock.
type Ending struct {
	at        int64 // the end of the wait
	woken, By format.ThreadID
	Stack     format.StackID // of By; NoStack if unknown
}

// endings keeps them until the source ends, at 24 bytes each.
type endings []Ending

func (e *endings) add(one Ending) {
	if one.By != format.NoThread {
		*e = append(*e, one)
	}
}

func (e Ending) compare(o Ending) int {
	return cmp.Or(cmp.Compare(e.woken, o.woken), cmp.Compare(e.at, o.at))
}

// Sort prepares for Find. If several ended one wait, the first one read comes first.
func (e endings) Sort() { slices.SortStableFunc(e, Ending.compare) }

// Find returns the event that ended the wait of a thread at an instant, zero if unknown.
func (e endings) Find(woken format.ThreadID, at int64) Ending {
	i, found := slices.BinarySearchFunc(e, Ending{at: at, woken: woken}, Ending.compare)
	if !found {
		return Ending{}
	}
	return e[i]
}

// ConditionObject is the class of the conditions of java.util.concurrent locks.
const ConditionObject = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"

// OwnAwait reports whether application code calls await directly.
func OwnAwait(frames []format.Frame) bool {
	i := slices.IndexFunc(frames, func(f format.Frame) bool { return f.Class == ConditionObject })
	for i >= 0 && i < len(frames) && frames[i].Class == ConditionObject {
		i++
	}
	return i > 0 && i < len(frames) && !format.OfJDK(frames[i])
}
