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

// monitorWaits keeps the waits at monitors until the source ends, at 40 bytes each, if a
// visitor asks.
type monitorWaits struct {
	asked bool
	list  []monitorWait
}

type monitorWait struct {
	MonitorWait
	at format.ObjectID
}

func (m *monitorWaits) add(ev *format.Event, end int64) {
	if m.asked && ev.Object != format.NoObject {
		m.list = append(m.list, monitorWait{MonitorWait{ev.Time, end, ev.Thread, ev.Owner, ev.Stack}, ev.Object})
	}
}

// each calls f with the wanted waits at each monitor with a known notification, by end.
func (m *monitorWaits) each(wanted func(*monitorWait) bool, f func(format.ObjectID, []MonitorWait)) {
	slices.SortFunc(m.list, func(a, b monitorWait) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.End, b.End), cmp.Compare(a.Thread, b.Thread))
	})
	for rest := m.list; len(rest) > 0; {
		var waits []MonitorWait
		n, notified := 0, false
		for ; n < len(rest) && rest[n].at == rest[0].at; n++ {
			if notified = notified || rest[n].By != format.NoThread; wanted(&rest[n]) {
				waits = append(waits, rest[n].MonitorWait)
			}
		}
		if notified {
			f(rest[0].at, waits)
		}
		rest = rest[n:]
	}
}

// ending is which thread ended a wait that is for no lock.
type ending struct {
	at        int64 // the end of the wait
	woken, by format.ThreadID
	stack     format.StackID // by's; NoStack where that is not known
}

// endings keeps them until the source ends, at 24 bytes each, if a visitor asks.
type endings struct {
	asked bool
	list  []ending
}

func (e *endings) add(one ending) {
	if e.asked && one.by != format.NoThread {
		e.list = append(e.list, one)
	}
}

func (e ending) compare(o ending) int {
	return cmp.Or(cmp.Compare(e.woken, o.woken), cmp.Compare(e.at, o.at))
}

// find returns what ended the wait of a thread at an instant, zero where that is not known.
// The list is sorted.
func (e *endings) find(woken format.ThreadID, at int64) ending {
	i, found := slices.BinarySearchFunc(e.list, ending{at: at, woken: woken}, ending.compare)
	if !found {
		return ending{}
	}
	return e.list[i]
}
