// Package chains sums slices by the signature of their path through the
// wait-for graph: who waited, for which class of lock, what its owner was
// doing, which lock that one waited for in turn, and so on to the owner that
// waited for nobody. Signatures hold names only, no ids of one trace, so that
// those of two traces can be compared.
package chains

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// Role says what a step of a chain is.
type Role uint8

// The roles.
const (
	Waiter Role = iota // a group of threads
	Lock               // a class of locks
	Owner              // a method
	Leaf               // the method of the owner that waited for nobody, or a pseudo owner
)

// Roles are the names of the roles.
var Roles = [...]string{Waiter: "waiter", Lock: "lock", Owner: "owner", Leaf: "leaf"}

// Step is one part of a signature.
type Step struct {
	Role Role
	Name string
}

// Chain is everything that was waited along one signature.
type Chain struct {
	Steps        []Step
	Hops         int   // locks on the way, at least 1
	Waits        int64 // that took this way at some time
	ThreadNs     int64
	WallNs       int64
	ByProvenance [analysis.Provenances]int64 // how the leaf is known
}

// Separator stands between the steps of a signature.
const Separator = " -> "

// Signature writes the steps on one line.
func (c *Chain) Signature() string {
	names := make([]string, len(c.Steps))
	for i, s := range c.Steps {
		names[i] = s.Name
	}
	return strings.Join(names, Separator)
}

// Collector is a visitor that sums by signature. Adding to a chain that
// exists allocates nothing but what its wall-time needs.
type Collector struct {
	sym    *analysis.Symbols
	index  map[string]int
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
	return &Collector{index: map[string]int{}, seen: map[visit]uint32{}}
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
	c.encode(s, sh)
	i, ok := c.index[string(c.key)]
	if !ok {
		i = len(c.sums)
		c.index[string(c.key)] = i
		c.sums = append(c.sums, sum{Chain: Chain{Steps: c.steps(s, sh), Hops: len(sh.Path) + 1}})
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

// encode writes into key the ids of what steps names. A pseudo owner has no
// method; which of several deadlocks it is does not matter to the signature.
func (c *Collector) encode(s *analysis.Slice, sh *analysis.Share) {
	k := binary.AppendUvarint(c.key[:0], uint64(c.sym.Group(s.Thread)))
	k = binary.AppendUvarint(k, uint64(c.sym.Class(s.Lock)))
	for _, h := range sh.Path {
		k = binary.AppendUvarint(k, uint64(c.sym.Method(h.Stack)))
		k = binary.AppendUvarint(k, uint64(c.sym.Class(h.Lock)))
	}
	k = binary.AppendUvarint(k, uint64(sh.Root.Kind))
	if sh.Root.Kind == analysis.OwnerThread {
		k = binary.AppendUvarint(k, uint64(c.sym.Method(sh.Root.Stack)))
	}
	c.key = k
}

// steps names the parts of a path.
func (c *Collector) steps(s *analysis.Slice, sh *analysis.Share) []Step {
	out := []Step{{Waiter, c.sym.Groups().Name(c.sym.Group(s.Thread))}, {Lock, c.sym.ClassName(s.Lock)}}
	for _, h := range sh.Path {
		out = append(out, Step{Owner, c.method(h.Stack)}, Step{Lock, c.sym.ClassName(h.Lock)})
	}
	switch sh.Root.Kind {
	case analysis.OwnerThread:
		return append(out, Step{Leaf, c.method(sh.Root.Stack)})
	case analysis.OwnerDeadlock:
		return append(out, Step{Leaf, Deadlock})
	}
	return append(out, Step{Leaf, analysis.PseudoOwner(sh.Root.Kind, 0)})
}

// Deadlock is the leaf of every chain that returns to itself: the number a
// deadlock has in one trace means nothing in another.
const Deadlock = "[deadlock]"

func (c *Collector) method(stack format.StackID) string {
	return c.sym.Methods().Name(c.sym.Method(stack))
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
