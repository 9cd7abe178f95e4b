package waitgraph

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// classes are the waiting by waiter, owner and class of lock: what each edge is made of.
// There are as many as edges, a million where all stacks differ, and of each no more is
// asked than its thread-time.
type classes struct {
	edges *blame.Pivot
	rows  *blame.Rows
	kinds *blame.Kinds // those of the edges, which classes of locks divide no further
	stays *blame.Stays // the same of threads that are told apart
	pairs []int32      // of the stays: the row
	root  bool
	ns    []int64 // by row
}

func newClasses(edges *blame.Pivot, root bool) *classes {
	return &classes{edges: edges, rows: edges.Finer(blame.ByClass), kinds: edges.Kinds(), stays: edges.Stays(), root: root}
}

func (c *classes) slice(s *analysis.Slice) {
	for i := range s.Waiters {
		c.add(s, &s.Waiters[i], 1)
	}
}

// crowd adds a slice of a crowd, of which the edges have heard.
func (c *classes) crowd(s *analysis.Slice) {
	for _, k := range c.kinds.Of(s.Lock) {
		c.add(s, &k.Waiter, int64(k.Len()))
	}
	charge := blame.ChargeOf(s.Lock, &s.Shares[0], c.root)
	if n := c.edges.LastUntold(); n > 0 {
		c.ns[c.numbered(c.rows.Other(s.Lock, &charge))] += int64(n) * s.Shares[0].Ns
	}
	for pair := len(c.pairs); pair < c.stays.Len(); pair++ { // what they sum to is told in the end
		c.pairs = append(c.pairs, int32(c.row(s.Lock, c.stays.Waiter(pair), &s.Shares[0])))
	}
}

// add adds n waiters that are alike.
func (c *classes) add(s *analysis.Slice, w *analysis.Waiter, n int64) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		c.ns[c.row(s.Lock, w, sh)] += n * sh.Ns
	}
}

// row returns the row of a waiter and a share of its waiting, making it if need be.
func (c *classes) row(lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) int {
	charge := blame.ChargeOf(lock, sh, c.root)
	return c.numbered(c.rows.Of(lock, w, &charge))
}

// numbered returns a row by its number, making it if need be.
func (c *classes) numbered(row int) int {
	if row == len(c.ns) {
		c.ns = append(c.ns, 0)
	}
	return row
}

// settle adds what those who wait together were charged, once the edges are a table.
func (c *classes) settle() {
	c.stays.Each(func(pair int, ns int64) { c.ns[c.pairs[pair]] += ns })
}

// ends are the ids of a waiter and an owner.
type ends [2]uint32

// addLocks gives each edge its classes; the edges are told by their ends.
func (g *Graph) addLocks(c *classes, edges map[ends]int32) {
	c.settle()
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
		class, _ := c.edges.Resolver().Text(blame.ByClass, c.rows.IDs(row)[2])
		e.Locks = append(e.Locks, Lock{class, ns})
	}
	for e := range g.Edges {
		slices.SortStableFunc(g.Edges[e].Locks, func(a, b Lock) int {
			return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), cmp.Compare(a.Class, b.Class))
		})
	}
}
