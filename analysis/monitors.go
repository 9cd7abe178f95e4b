package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// MonitorWait is one whole Object.wait or the like: the thread releases a monitor and owns
// it again at the end.
type MonitorWait struct {
	Start, End int64
	Thread     format.ThreadID
	By         format.ThreadID // its notifier; NoThread if it timed out, or the notifier is unknown
	Stack      format.StackID
}

// MonitorWaits are all recorded waits at one monitor, by end.
type MonitorWaits struct {
	Monitor format.ObjectID
	Waits   []MonitorWait
	Hides   bool // the recorder leaves out short waits
}

// monitorWaits keeps the waits at monitors until the source ends, at 32 bytes each, if a
// visitor asks.
type monitorWaits struct {
	asked bool
	at    map[format.ObjectID]*monitorUse
}

// monitorUse is the recorded waits at one monitor.
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

// notified returns the monitors with a known notification.
func (m *monitorWaits) notified() (ids []format.ObjectID) {
	for id, u := range m.at {
		if u.notified {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// of returns the wanted waits at a monitor, by end.
func (m *monitorWaits) of(id format.ObjectID, wanted func(*MonitorWait) bool) []MonitorWait {
	waits := slices.DeleteFunc(m.at[id].waits, func(w MonitorWait) bool { return !wanted(&w) })
	slices.SortFunc(waits, func(a, b MonitorWait) int { return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Thread, b.Thread)) })
	return waits
}
