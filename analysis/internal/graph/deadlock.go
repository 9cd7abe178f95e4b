package graph

import (
	"encoding/binary"
	"maps"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Cycles numbers deadlocks by their canonical form: the cycle rotated so that its smallest
// thread comes first.
type Cycles struct {
	ids    map[string]int32
	links  [][]analysis.Link
	queued []queuedBehind // by cycle, from 1
	key    []byte
	// resolved reports whether a thread's current wait is known to end with the lock. A
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
