package graph

import (
	"fmt"
	"maps"
	"slices"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
)

// threadsOf identifies a cycle by its threads. A dump names locks by their addresses, which
// a collector changes while the threads stay in the cycle.
func threadsOf[T analysis.Hop | analysis.Link](path []T, thread func(T) format.ThreadID) string {
	ids := make([]format.ThreadID, len(path))
	for i := range path {
		ids[i] = thread(path[i])
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

// Stuck finds the deadlocks that only thread dumps show: a wait is recorded when it ends,
// so deadlocked threads leave none. Waits that are recorded as well belong to the graph,
// except those without an end: some threads of a cycle may have one while the locks of
// others have moved. Cycles that the graph has found are not counted again.
func (c *Cycles) Stuck(unlinked []owners.Unlinked) {
	known := map[string]int32{}
	for i, cycle := range c.links {
		known[threadsOf(cycle, func(l analysis.Link) format.ThreadID { return l.Thread })] = int32(i + 1)
	}
	for len(unlinked) > 0 {
		n := 1
		for n < len(unlinked) && unlinked[n].Time == unlinked[0].Time {
			n++
		}
		c.findCycles(unlinked[:n], known)
		unlinked = unlinked[n:]
	}
}

// findCycles numbers the cycles among the locks of one dump, and finds the threads queued
// behind each. A lock with several owners is skipped: it has readers, and the dump does not
// show which one matters.
func (c *Cycles) findCycles(locks []owners.Unlinked, known map[string]int32) {
	waits, holder := map[format.ThreadID]analysis.Hop{}, map[format.ObjectID]format.ThreadID{}
	for i := range locks {
		l := &locks[i]
		if len(l.Owners) == 1 {
			holder[l.Lock] = l.Owners[0].Thread
		}
		for _, w := range l.Waiters {
			waits[w.Thread] = analysis.Hop{Thread: w.Thread, Stack: w.Stack, Lock: l.Lock}
		}
	}
	ends := map[format.ThreadID]int32{} // by thread: the cycle it waits for, 0 for none
	for _, t := range slices.Sorted(maps.Keys(waits)) {
		path, id := pathFrom(t, waits, holder, ends), int32(0)
		if last := path[len(path)-1].Thread; ends[last] > 0 {
			id = ends[last]
		} else if cycle := cycleOn(path, holder); len(cycle) > 1 { // a thread does not wait for itself
			id = c.number(cycle, known, locks[0].Time)
		}
		for _, hop := range path {
			if ends[hop.Thread] = id; id > 0 {
				c.queued[id].threads[hop.Thread] = true
			}
		}
	}
}

// number returns the number of a cycle in a dump.
func (c *Cycles) number(path []analysis.Hop, known map[string]int32, at int64) int32 {
	cycle := threadsOf(path, func(h analysis.Hop) format.ThreadID { return h.Thread })
	id, seen := known[cycle]
	if !seen {
		id = c.id(path)
		known[cycle] = id
	}
	c.behind(id, at) // also of a known cycle, if no waiting in the cut ends there
	return id
}

// pathFrom follows waits from a thread. The path stops at a thread that does not wait, that
// is on the path already, or whose end is known; a known one is its last.
func pathFrom(t format.ThreadID, waits map[format.ThreadID]analysis.Hop, holder map[format.ObjectID]format.ThreadID, ends map[format.ThreadID]int32) (path []analysis.Hop) {
	for seen := map[format.ThreadID]bool{}; !seen[t]; {
		hop, waiting := waits[t]
		if !waiting {
			break
		}
		seen[t], path = true, append(path, hop)
		next, held := holder[hop.Lock]
		if _, known := ends[t]; known || !held {
			break
		}
		t = next
	}
	return path
}

// cycleOn returns the cycle at the end of a path; nil if there is none.
func cycleOn(path []analysis.Hop, holder map[format.ObjectID]format.ThreadID) []analysis.Hop {
	next, held := holder[path[len(path)-1].Lock]
	if at := slices.IndexFunc(path, func(h analysis.Hop) bool { return h.Thread == next }); held && at >= 0 {
		return path[at:]
	}
	return nil
}
