package analysis

import (
	"fmt"
	"maps"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// threadsOf identifies a circle by its threads. A dump names locks by their
// addresses, which a collector changes while the threads stay where they are.
func threadsOf[T Hop | Link](path []T, thread func(T) format.ThreadID) string {
	ids := make([]format.ThreadID, len(path))
	for i := range path {
		ids[i] = thread(path[i])
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

// stuck finds the deadlocks of a recording: a wait is recorded when it ends, so
// that threads in a deadlock leave none, and only thread dumps show them. What
// a dump shows of waits that are recorded is left to the graph. Who hangs is in
// both, as some of the threads in a circle may be while others' locks have moved;
// the circles that the graph has found are known.
func (c *cycles) stuck(shown []owners.Unlinked, e *emitter) {
	known := map[string]int32{}
	for i, cycle := range c.links {
		known[threadsOf(cycle, func(l Link) format.ThreadID { return l.Thread })] = int32(i + 1)
	}
	for len(shown) > 0 {
		n := 1
		for n < len(shown) && shown[n].Time == shown[0].Time {
			n++
		}
		c.circles(shown[:n], e, known)
		shown = shown[n:]
	}
}

// circles numbers the circles among the locks of one dump, and who waits behind
// each. A lock with several owners has readers; which of them matters is not
// told.
func (c *cycles) circles(locks []owners.Unlinked, e *emitter, known map[string]int32) {
	waits, holder := map[format.ThreadID]Hop{}, map[format.ObjectID]format.ThreadID{}
	for i := range locks {
		l := &locks[i]
		if len(l.Owners) == 1 {
			holder[l.Lock] = l.Owners[0].Thread
		}
		for _, w := range l.Waiters {
			waits[w.Thread] = Hop{Thread: w.Thread, Stack: w.Stack, Lock: l.Lock}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(waits)) {
		path := pathFrom(t, waits, holder)
		if len(path) < 2 { // nobody waits for himself
			continue
		}
		circle := threadsOf(path, func(h Hop) format.ThreadID { return h.Thread })
		id, met := known[circle]
		if !met {
			id = c.id(path)
			known[circle], e.queued[id], e.since[id] = id, map[format.ThreadID]bool{}, locks[0].Time
		} else if e.queued[id] == nil { // nobody's waiting in the cut ends there
			e.queued[id], e.since[id] = map[format.ThreadID]bool{}, locks[0].Time
		}
		e.queued[id][t] = true
	}
}

// pathFrom follows who waits for whom until it meets a thread again, and returns
// the circle; nil where the path ends.
func pathFrom(t format.ThreadID, waits map[format.ThreadID]Hop, holder map[format.ObjectID]format.ThreadID) (path []Hop) {
	at := map[format.ThreadID]int{}
	for {
		if first, met := at[t]; met {
			return path[first:]
		}
		hop, waiting := waits[t]
		if !waiting {
			return nil
		}
		at[t] = len(path)
		path = append(path, hop)
		next, held := holder[hop.Lock]
		if !held {
			return nil
		}
		t = next
	}
}
