package blame

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// Chain is everything that was waited along one signature.
type Chain struct {
	Steps []Step
	Hops  int // locks on the way, at least 1; of several ways with one signature the longest
	Sum       // of all waits that took this way at some time, by how the leaf is known
}

// Signature writes the steps on one line.
func (c *Chain) Signature() string { return Signature(c.Steps) }

// Chains is a visitor that sums by signature. Adding to a chain that
// exists allocates nothing but what its wall-time needs.
type Chains struct {
	sym    *analysis.Symbols
	paths  Paths
	byName map[string]int // by signature
	sums   []sum
	total  Accumulator
	waits  WaitCounter
	kinds  Kinds // by group
}

// sum is a chain in the making.
type sum struct {
	Accumulator
	steps []Step
	name  string // their signature
	hops  int
}

// NewChains returns an empty collector.
func NewChains() *Chains {
	c := &Chains{byName: map[string]int{}}
	c.kinds = NewKinds(func(m *analysis.Move) int { return int(c.sym.Group(m.Thread)) })
	return c
}

// Begin implements analysis.Visitor.
func (c *Chains) Begin(sym *analysis.Symbols, _ int64) { c.sym = sym }

// Slice implements analysis.Visitor.
func (c *Chains) Slice(s *analysis.Slice) {
	c.total.AddAll(s, true)
	for rest := s.Waiters; len(rest) > 0; {
		n := c.sym.SameGroup(rest)
		c.add(s, rest[:n])
		rest = rest[n:]
	}
}

// Moved implements analysis.CrowdVisitor.
func (c *Chains) Moved(m *analysis.Move) { c.kinds.Move(m) }

// Crowd implements analysis.CrowdVisitor.
func (c *Chains) Crowd(s *analysis.Slice, n int) {
	sh := &s.Shares[0]
	c.total.Add(s, sh.Ns, n, sh.Root.Prov)
	for _, k := range c.kinds.Of(s.Lock) {
		chain := c.chain(k.Thread, s.Lock, sh)
		m := &c.sums[chain]
		m.Add(s, sh.Ns, k.Len(), sh.Root.Prov)
		m.Waits += k.Meets(chain, &c.waits)
	}
}

// add charges the shares of waiters of one group to their chains.
func (c *Chains) add(s *analysis.Slice, waiters []analysis.Waiter) {
	c.waits.Begin(waiters)
	for i := range s.Shares {
		sh := &s.Shares[i]
		chain := c.chain(waiters[0].Thread, s.Lock, sh)
		m := &c.sums[chain]
		m.Add(s, sh.Ns, len(waiters), sh.Root.Prov)
		for j := range waiters {
			if c.waits.IsNew(chain, waiters[j].Thread) {
				m.Waits++
			}
		}
	}
}

// chain returns the number of the chain a share's path belongs to, making it if
// need be.
func (c *Chains) chain(t format.ThreadID, lock format.ObjectID, sh *analysis.Share) int {
	i := c.paths.Number(c.sym, t, lock, sh, len(c.sums), c.named)
	c.sums[i].hops = max(c.sums[i].hops, sh.Hops)
	return i
}

// named returns the number of the chain of some steps: hidden classes that
// differ in their address only have one signature.
func (c *Chains) named(steps []Step) int {
	name := Signature(steps)
	i, ok := c.byName[name]
	if !ok {
		i = len(c.sums)
		c.byName[name] = i
		c.sums = append(c.sums, sum{steps: steps, name: name})
	}
	return i
}

// ChainTable is all chains in descending order of thread-time, ties by signature.
// The chains sum to the total in thread-time; one wait may be in several.
type ChainTable struct {
	Chains []Chain
	Total  Sum
}

// Table returns the finished sums.
func (c *Chains) Table() *ChainTable {
	order := make([]*sum, len(c.sums))
	for i := range c.sums {
		order[i] = &c.sums[i]
	}
	slices.SortFunc(order, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), strings.Compare(a.name, b.name))
	})
	t := &ChainTable{Total: c.total.Finish(), Chains: make([]Chain, len(order))}
	for i, m := range order {
		t.Chains[i] = Chain{m.steps, m.hops, m.Finish()}
	}
	return t
}
