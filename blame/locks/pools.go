package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Pool is a place where threads wait for an object of an exhausted pool.
type Pool struct {
	What    string // the outermost method of the pool, which names the request
	Site    string // as in Resource
	Waited  NonLockWait
	EmptyNs int64          // while some thread waited; 0 when waits were only sampled
	Stack   []format.Frame // the stack with most of the waiting
}

// Pools returns the pools that threads waited for, by name.
func (c *Resources) Pools() (out []Pool) {
	type pool struct{ what, site string }
	of, stacks := map[pool][]*resourcePart{}, map[*resourcePart]format.StackID{}
	for key, p := range c.parts {
		if p.pool != nil {
			what, site, _ := Place(c.sym.Frames(key.stack))
			at := pool{what, site}
			of[at] = append(of[at], p)
			stacks[p] = key.stack
		}
	}
	for at, parts := range of {
		one := Pool{What: at.what, Site: at.site}
		threads := blame.ThreadSet{}
		when := []*analysis.Union(nil)
		most := slices.MaxFunc(parts, func(a, b *resourcePart) int {
			return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(stacks[b], stacks[a]))
		})
		one.Stack = c.sym.Frames(stacks[most])
		for _, p := range parts {
			one.Waited.WaitNs += p.ns
			one.Waited.Waits += p.waits
			when = append(when, p.pool)
			threads.Join(&p.threads)
		}
		one.Waited.Waiters, one.EmptyNs = threads.Len(), analysis.UnionOf(when).Len()
		out = append(out, one)
	}
	slices.SortFunc(
		out,
		func(a, b Pool) int { return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Site, b.Site)) },
	)
	return out
}
