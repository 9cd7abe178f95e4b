// Package chains sums slices by the signature of their path through the
// wait-for graph: who waited, for which class of lock, what its owner was
// doing, which lock that one waited for in turn, and so on to the owner that
// waited for nobody. Signatures hold names only, no ids of one trace, so that
// those of two traces can be compared.
package chains

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Chain is everything that was waited along one signature.
type Chain struct {
	Steps        []Step
	Hops         int   // locks on the way, at least 1
	Waits        int64 // that took this way at some time
	ThreadNs     int64
	WallNs       int64
	ByProvenance [analysis.Provenances]int64 // how the leaf is known
}

// Signature writes the steps on one line.
func (c *Chain) Signature() string { return Signature(c.Steps) }

// Collector is a visitor that sums by signature. Adding to a chain that
// exists allocates nothing but what its wall-time needs.
type Collector struct {
	sym    *analysis.Symbols
	index  map[string]int // by path
	byName map[string]int // by signature
	sums   []sum
	key    []byte
	serial []uint32 // by thread: number of its current wait
	seen   map[visit]uint32
	total  Chain
	wall   analysis.Union
}

// sum is a chain in the making.
type sum struct {
	Chain
	wall analysis.Union
}

// visit finds the last wait of a thread that a chain has counted.
type visit struct {
	chain  int
	thread format.ThreadID
}

// New returns an empty collector.
func New() *Collector {
	return &Collector{index: map[string]int{}, byName: map[string]int{}, seen: map[visit]uint32{}}
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, _ int64) { c.sym = sym }

// Running implements analysis.Visitor; chains do not need running time.
func (c *Collector) Running(_, _, _ int64) {}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	for len(c.serial) <= int(s.Thread) {
		c.serial = append(c.serial, 0)
	}
	if s.First {
		c.serial[s.Thread]++
		c.total.Waits++
	}
	c.total.ThreadNs += s.End - s.Start
	c.wall.AddSlice(s)
	for i := range s.Shares {
		c.total.ByProvenance[s.Shares[i].Root.Prov] += s.Shares[i].Ns
		c.add(s, &s.Shares[i])
	}
}

func (c *Collector) add(s *analysis.Slice, sh *analysis.Share) {
	c.key = AppendPath(c.key[:0], c.sym, s.Thread, s.Lock, sh)
	i, ok := c.index[string(c.key)]
	if !ok {
		i = c.chain(s, sh)
		c.index[string(c.key)] = i
	}
	m := &c.sums[i]
	m.ThreadNs += sh.Ns
	m.ByProvenance[sh.Root.Prov] += sh.Ns
	m.wall.AddSlice(s)
	if at := (visit{i, s.Thread}); c.seen[at] != c.serial[s.Thread] {
		c.seen[at] = c.serial[s.Thread]
		m.Waits++
	}
}

// chain returns the number of the chain a share's path belongs to: hidden
// classes that differ in their address only have one signature.
func (c *Collector) chain(s *analysis.Slice, sh *analysis.Share) int {
	steps := StepsOf(c.sym, s.Thread, s.Lock, sh)
	name := Signature(steps)
	i, ok := c.byName[name]
	if !ok {
		i = len(c.sums)
		c.byName[name] = i
		c.sums = append(c.sums, sum{Chain: Chain{Steps: steps, Hops: len(sh.Path) + 1}})
	}
	return i
}

// Table is all chains in descending order of thread-time, ties by signature.
// The chains sum to the total in thread-time; one wait may be in several.
type Table struct {
	Chains []Chain
	Total  Chain // without steps
}

// Table returns the finished sums.
func (c *Collector) Table() *Table {
	t := &Table{Total: c.total, Chains: make([]Chain, 0, len(c.sums))}
	t.Total.WallNs = c.wall.Len()
	for i := range c.sums {
		m := &c.sums[i]
		m.WallNs = min(m.wall.Len(), m.ThreadNs) // one of several readers is charged a part of each instant only
		t.Chains = append(t.Chains, m.Chain)
	}
	slices.SortStableFunc(t.Chains, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), cmp.Compare(a.Signature(), b.Signature()))
	})
	return t
}
