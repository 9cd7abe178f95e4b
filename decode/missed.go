package decode

import (
	"cmp"
	"maps"
	"slices"

	"contend/format"
)

// edge is where an interval of a lock begins or ends, or an instant.
type edge struct {
	at     int64
	thread format.ThreadID // whose interval it is; of an acquisition, the owner before if it is known
	what   edgeKind
	by     int8 // 1 where it begins, -1 where it ends
}

type edgeKind uint8

const (
	held     edgeKind = iota // a recorded hold
	seen                     // a wait in which all holds are recorded
	asked                    // another wait
	acquired                 // the end of such a wait
	edgeKinds
)

// missed returns the waits of the flight recording that the agent lacks, all those of a class that it recorded in part,
// and holds of an unknown thread while it is not known who held the lock. A wait that the agent has is the same one if
// it covers half of it.
func (f *followed) missed() (out []format.Event) {
	var counted []format.Event
	known := map[format.ObjectID][]seenWait{} // by lock of the flight recording: the agent's lock over time
	for _, t := range slices.Sorted(maps.Keys(f.waits)) {
		list := f.seen[t]
		slices.SortFunc(list, func(a, b seenWait) int { return cmp.Compare(a.start, b.start) })
		for i := range f.waits[t] {
			w := &f.waits[t][i]
			c := f.locks[w.object]
			lock, ns := f.covering(w, list)
			if 2*ns >= w.end-w.start && ns > 0 {
				known[w.object] = append(known[w.object], seenWait{w.start, w.end, lock})
				if c.whole {
					continue
				}
			}
			if c.busy && w.start >= c.since { // samples have it
				continue
			}
			counted = append(counted, format.Event{Kind: format.KindWait, Time: w.start, End: w.end, Thread: t,
				Object: w.object, Stack: w.stack, Owner: w.owner, Mode: w.mode, Failed: w.failed})
		}
	}
	for _, list := range known {
		slices.SortFunc(list, func(a, b seenWait) int { return cmp.Compare(a.start, b.start) })
	}
	for i := range counted {
		ev := &counted[i]
		if list := known[ev.Object]; len(list) > 0 {
			ev.Object = nearest(list, ev.Time)
			f.mark(ev, asked)
			if !ev.Failed {
				f.edges[ev.Object] = append(f.edges[ev.Object], edge{ev.End, ev.Owner, acquired, 0})
			}
		}
	}
	for _, lock := range slices.Sorted(maps.Keys(f.edges)) {
		out = appendUnknown(out, lock, f.edges[lock])
	}
	return append(out, counted...)
}

// covering returns how much of a wait is in the agent's waits of the same thread for locks of the class, and the
// lock of the last of these. The list is in order, and a thread waits for one lock at a time.
func (f *followed) covering(w *flightWait, list []seenWait) (lock format.ObjectID, ns int64) {
	i, _ := slices.BinarySearchFunc(list, w.start+1, func(s seenWait, t int64) int { return cmp.Compare(s.end, t) })
	for ; i < len(list) && list[i].start < w.end; i++ {
		if f.locks[list[i].object] == f.locks[w.object] {
			lock = list[i].object
			ns += min(list[i].end, w.end) - max(list[i].start, w.start)
		}
	}
	return lock, ns
}

// nearest returns the lock of the wait that began nearest to an instant: a monitor's address may be another lock's
// later.
func nearest(list []seenWait, at int64) format.ObjectID {
	i, _ := slices.BinarySearchFunc(list, at, func(s seenWait, t int64) int { return cmp.Compare(s.start, t) })
	if i == len(list) || i > 0 && at-list[i-1].start < list[i].start-at {
		i--
	}
	return list[i].object
}

// appendUnknown appends holds of an unknown thread: where threads wait, not all holds are recorded and none is, and
// the lock is not known to be free.
func appendUnknown(out []format.Event, lock format.ObjectID, edges []edge) []format.Event {
	if !slices.ContainsFunc(edges, func(e edge) bool { return e.what == asked }) {
		return out
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var n [edgeKinds]int
	from, free := format.NoTime, false
	for i, e := range edges {
		n[e.what] += int(e.by)
		switch {
		case e.what == acquired || e.what == asked && e.by > 0: // a thread that came while it was free got it
			free = false
		case e.what == held && n[held] == 0:
			free = isFree(edges[i+1:], e.thread)
		}
		if i+1 < len(edges) && edges[i+1].at == e.at {
			continue
		}
		switch unknown := n[asked] > 0 && n[seen]+n[held] == 0 && !free; {
		case unknown && from == format.NoTime:
			from = e.at
		case !unknown && from != format.NoTime:
			out = append(out, format.Event{Kind: format.KindTenure, Time: from, End: e.at, Object: lock})
			from = format.NoTime
		}
	}
	return out
}

// isFree reports whether a lock is free between the end of a hold and what follows: the next recorded hold, or an
// acquisition, unless another owner is recorded before that.
func isFree(edges []edge, last format.ThreadID) bool {
	for _, e := range edges {
		if e.what == held {
			return true
		}
		if e.what == acquired {
			return e.thread == format.NoThread || e.thread == last
		}
	}
	return false
}
