package graph

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
)

// Cycles numbers deadlocks by their canonical form: the cycle rotated so that its smallest
// thread comes first.
type Cycles struct {
	ids    map[string]int32
	links  [][]analysis.Link
	queued []queuedBehind // by cycle, from 1
	key    []byte
	// Resolved reports whether a thread's current wait is known to end with the lock. A
	// cycle through it is then the work of a wrong owner, and no deadlock.
	Resolved func(format.ThreadID) bool
}

// owner returns the pseudo owner of a cycle. If a wait on it ended with the lock, the cycle
// is no deadlock: some owner on it was inferred wrongly, and which one is unknown.
func (c *Cycles) owner(path []analysis.Hop, prov analysis.Provenance) analysis.Owner {
	if c.Resolved != nil {
		for _, hop := range path {
			if c.Resolved(hop.Thread) {
				return analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}
			}
		}
	}
	return analysis.Owner{Kind: analysis.OwnerDeadlock, Prov: prov, Cycle: c.id(path)}
}

// queuedBehind is the threads whose blame ended in a cycle, its members included.
type queuedBehind struct {
	threads map[format.ThreadID]bool
	since   int64
}

// Wait notes that the waiters of a slice wait, directly or not, for a cycle.
func (c *Cycles) Wait(cycle int32, s *analysis.Slice) {
	q := c.behind(cycle, s.Start)
	q.since = min(q.since, s.Start)
	for i := range s.Waiters {
		q.threads[s.Waiters[i].Thread] = true
	}
}

// behind returns the threads queued behind a cycle, the first of which are seen at an
// instant.
func (c *Cycles) behind(cycle int32, at int64) *queuedBehind {
	for len(c.queued) <= int(cycle) {
		c.queued = append(c.queued, queuedBehind{})
	}
	q := &c.queued[cycle]
	if q.threads == nil {
		q.threads, q.since = map[format.ThreadID]bool{}, at
	}
	return q
}

func (c *Cycles) id(path []analysis.Hop) int32 {
	low := 0
	for i, hop := range path {
		if hop.Thread < path[low].Thread {
			low = i
		}
	}
	c.key = c.key[:0]
	for i := range path {
		hop := path[(low+i)%len(path)]
		c.key = binary.AppendUvarint(binary.AppendUvarint(c.key, uint64(hop.Thread)), uint64(hop.Lock))
	}
	if id, ok := c.ids[string(c.key)]; ok {
		return id
	}
	if c.ids == nil {
		c.ids = make(map[string]int32)
	}
	cycle := make([]analysis.Link, len(path))
	for i := range path {
		hop := path[(low+i)%len(path)]
		cycle[i] = analysis.Link{Thread: hop.Thread, Lock: hop.Lock, Stack: hop.Stack}
	}
	c.links = append(c.links, cycle)
	id := int32(len(c.links))
	c.ids[string(c.key)] = id
	return id
}

// Deadlocks returns the cycles, each with the threads queued behind it.
func (c *Cycles) Deadlocks() []analysis.Deadlock {
	var out []analysis.Deadlock
	for i, cycle := range c.links {
		q := c.behind(int32(i+1), 0)
		for _, l := range cycle {
			delete(q.threads, l.Thread)
		}
		out = append(out, analysis.Deadlock{Cycle: cycle, Since: q.since, Queued: slices.Sorted(maps.Keys(q.threads))})
	}
	return out
}

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
// is on the path already, or whose end is known; a thread of known end is the last of the
// path.
func pathFrom(
	t format.ThreadID,
	waits map[format.ThreadID]analysis.Hop,
	holder map[format.ObjectID]format.ThreadID,
	ends map[format.ThreadID]int32,
) (path []analysis.Hop) {
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
