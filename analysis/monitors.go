package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// MonitorWait is one whole Object.wait, or what is like it: the thread gives a
// monitor back, and has it again at the end.
type MonitorWait struct {
	Start, End int64
	Thread     format.ThreadID
	By         format.ThreadID // who notified it; NoThread: its time was up, or nobody knows
	Stack      format.StackID
}

// MonitorWaits are all that were recorded at one monitor, by end.
type MonitorWaits struct {
	Monitor format.ObjectID
	Waits   []MonitorWait
	Hides   bool // the recorder left out short ones
}

// MonitorVisitor is a Visitor that also wants these, of the monitors at which
// anybody is known to have notified others. They are no contention. What m points
// to is good during the call only.
type MonitorVisitor interface {
	Monitor(m *MonitorWaits)
}

// monitorWaits keeps them until the source ends, at 32 bytes each, where a
// visitor asks.
type monitorWaits struct {
	asked bool
	at    map[format.ObjectID]*monitorUse
}

// monitorUse is what was recorded at one monitor.
type monitorUse struct {
	waits    []MonitorWait
	notified bool
}

func (m *monitorWaits) add(ev *format.Event, end int64) {
	if !m.asked || ev.Object == format.NoObject {
		return
	}
	u := m.at[ev.Object]
	if u == nil {
		u = &monitorUse{}
		if m.at == nil {
			m.at = map[format.ObjectID]*monitorUse{}
		}
		m.at[ev.Object] = u
	}
	u.notified = u.notified || ev.Owner != format.NoThread
	u.waits = append(u.waits, MonitorWait{ev.Time, end, ev.Thread, ev.Owner, ev.Stack})
}

// notified returns the monitors at which anybody is known to have notified others.
func (m *monitorWaits) notified() (ids []format.ObjectID) {
	for id, u := range m.at {
		if u.notified {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// of returns the waits at a monitor that are wanted, by end.
func (m *monitorWaits) of(id format.ObjectID, wanted func(*MonitorWait) bool) []MonitorWait {
	waits := slices.DeleteFunc(m.at[id].waits, func(w MonitorWait) bool { return !wanted(&w) })
	slices.SortFunc(waits, func(a, b MonitorWait) int { return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Thread, b.Thread)) })
	return waits
}
