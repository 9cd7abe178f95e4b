package waitgraph

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
)

// classes are the waiting by waiter, owner and class of lock: what each edge is made of.
// There are as many as edges, a million where all stacks differ, and of each no more is
// asked than its thread-time.
type classes struct {
	keys  *blame.Resolver
	rows  *blame.Rows
	kinds *blame.Kinds // those of the edges, which classes of locks divide no further
	root  bool
	ns    []int64 // by row
}

func newClasses(edges *blame.Pivot, edge [2]blame.Key, root bool) *classes {
	keys := edges.Resolver()
	return &classes{keys: keys, rows: blame.NewRows(keys, []blame.Key{edge[0], edge[1], blame.ByClass}), kinds: edges.Kinds(), root: root}
}

func (c *classes) slice(s *analysis.Slice) {
	for i := range s.Waiters {
		c.add(s, &s.Waiters[i], 1)
	}
}

func (c *classes) crowd(s *analysis.Slice) {
	for _, k := range c.kinds.Of(s.Lock) {
		c.add(s, &k.Waiter, int64(k.Len()))
	}
}

// add adds n waiters that are alike.
func (c *classes) add(s *analysis.Slice, w *analysis.Waiter, n int64) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		charge := blame.ChargeOf(s.Lock, sh, c.root)
		row := c.rows.Of(s.Lock, w, &charge)
		if row == len(c.ns) {
			c.ns = append(c.ns, 0)
		}
		c.ns[row] += n * sh.Ns
	}
}

// ends are the ids of a waiter and an owner.
type ends [2]uint32

// addLocks gives each edge its classes; the edges are told by their ends.
func (g *Graph) addLocks(c *classes, edges map[ends]int32) {
	at, first := make([]int32, len(c.ns)), make([]int, len(g.Edges)+1)
	for row := range c.ns {
		ids := c.rows.IDs(row)
		at[row] = edges[ends{ids[0], ids[1]}]
		first[at[row]+1]++
	}
	for e := range g.Edges {
		first[e+1] += first[e]
	}
	all := make([]Lock, len(c.ns))
	for e := range g.Edges {
		g.Edges[e].Locks = all[first[e]:first[e]:first[e+1]]
	}
	for row, ns := range c.ns {
		e := &g.Edges[at[row]]
		class, _ := c.keys.Text(blame.ByClass, c.rows.IDs(row)[2])
		e.Locks = append(e.Locks, Lock{class, ns})
	}
	for e := range g.Edges {
		slices.SortStableFunc(g.Edges[e].Locks, func(a, b Lock) int {
			return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), cmp.Compare(a.Class, b.Class))
		})
	}
}
