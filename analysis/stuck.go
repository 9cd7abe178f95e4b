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
	ends := map[format.ThreadID]int32{} // by thread: the circle it waits for, 0 for none
	for _, t := range slices.Sorted(maps.Keys(waits)) {
		path, id := pathFrom(t, waits, holder, ends), int32(0)
		if last := path[len(path)-1].Thread; ends[last] > 0 {
			id = ends[last]
		} else if circle := circleOn(path, holder); len(circle) > 1 { // nobody waits for himself
			id = c.shown(circle, e, known, locks[0].Time)
		}
		for _, hop := range path {
			if ends[hop.Thread] = id; id > 0 {
				e.queued[id][hop.Thread] = true
			}
		}
	}
}

// shown returns the number of a circle that a dump shows.
func (c *cycles) shown(path []Hop, e *emitter, known map[string]int32, at int64) int32 {
	circle := threadsOf(path, func(h Hop) format.ThreadID { return h.Thread })
	id, met := known[circle]
	if !met {
		id = c.id(path)
		known[circle] = id
	}
	if e.queued[id] == nil { // of one that is known: nobody's waiting in the cut ends there
		e.queued[id], e.since[id] = map[format.ThreadID]bool{}, at
	}
	return id
}

// pathFrom follows who waits for whom until it meets a thread whose end is known, which is
// the last one then, or one again, or the path ends.
func pathFrom(t format.ThreadID, waits map[format.ThreadID]Hop, holder map[format.ObjectID]format.ThreadID, ends map[format.ThreadID]int32) (path []Hop) {
	for met := map[format.ThreadID]bool{}; !met[t]; {
		hop, waiting := waits[t]
		if !waiting {
			break
		}
		met[t], path = true, append(path, hop)
		next, held := holder[hop.Lock]
		if _, known := ends[t]; known || !held {
			break
		}
		t = next
	}
	return path
}

// circleOn returns the part of a path that its last thread waits for.
func circleOn(path []Hop, holder map[format.ObjectID]format.ThreadID) []Hop {
	next, held := holder[path[len(path)-1].Lock]
	if at := slices.IndexFunc(path, func(h Hop) bool { return h.Thread == next }); held && at >= 0 {
		return path[at:]
	}
	return nil
}
