package analysis

import (
	"encoding/binary"
	"slices"

	"contend/format"
)

// cycles numbers deadlocks by their canonical form: the cycle rotated so that its smallest
// thread comes first.
type cycles struct {
	ids   map[string]int32
	links [][]Link
	key   []byte
	// resolved reports whether a thread's current wait is known to end with the lock. A
	// cycle through it is then the work of a wrong owner, and no deadlock.
	resolved func(format.ThreadID) bool
}

// owner returns the pseudo owner of a cycle. If a wait on it ended with the lock, the cycle
// is no deadlock: some owner on it was inferred wrongly, and which one is unknown.
func (c *cycles) owner(path []Hop, prov Provenance) Owner {
	if c.resolved != nil {
		for _, hop := range path {
			if c.resolved(hop.Thread) {
				return Owner{Kind: OwnerUnknown, Prov: Unknown}
			}
		}
	}
	return Owner{Kind: OwnerDeadlock, Prov: prov, Cycle: c.id(path)}
}

func (c *cycles) id(path []Hop) int32 {
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
	cycle := make([]Link, len(path))
	for i := range path {
		hop := path[(low+i)%len(path)]
		cycle[i] = Link{Thread: hop.Thread, Lock: hop.Lock, Stack: hop.Stack}
	}
	c.links = append(c.links, cycle)
	id := int32(len(c.links))
	c.ids[string(c.key)] = id
	return id
}

// deadlocks returns the cycles, each with the threads queued behind it.
func (c *cycles) deadlocks(queued map[int32]map[format.ThreadID]bool, since map[int32]int64) []Deadlock {
	var out []Deadlock
	for i, cycle := range c.links {
		d := Deadlock{Cycle: cycle, Since: since[int32(i+1)]}
		on := make(map[format.ThreadID]bool, len(cycle))
		for _, l := range cycle {
			on[l.Thread] = true
		}
		for t := range queued[int32(i+1)] {
			if !on[t] {
				d.Queued = append(d.Queued, t)
			}
		}
		slices.Sort(d.Queued)
		out = append(out, d)
	}
	return out
}
