package blame

import (
	"encoding/binary"
	"fmt"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// Role says what a step of a chain of waits is.
type Role uint8

// The roles.
const (
	RoleWaiter Role = iota // a group of threads
	RoleLock               // a class of locks
	RoleOwner              // a method
	RoleLeaf               // the method of the owner that did not wait, or a pseudo owner
)

// Roles are the names of the roles.
var Roles = [...]string{RoleWaiter: "waiter", RoleLock: "lock", RoleOwner: "owner", RoleLeaf: "leaf"}

// Step is one part of a signature.
type Step struct {
	Role Role
	Name string
}

// StepSeparator stands between the steps of a signature.
const StepSeparator = " -> "

// DeadlockLeaf is the leaf of every chain that returns to itself: the number
// a deadlock has in one trace means nothing in another.
const DeadlockLeaf = "[deadlock]"

// A chain of more locks than maxHops is named without those in its middle: the
// waits of a few hundred threads in a row are as many chains as there are ways to
// combine what each of them does, all of them long. Once there are maxChains, new
// ones are named by their ends alone.
const (
	maxHops   = 16
	maxChains = 1 << 15
)

// eachHop visits the hops of a share's path but for those in its middle, if there are
// more than most; for these it calls omitted. Of a far path all are in the middle but the
// first ones and the last lock.
func eachHop(sh *analysis.Share, most int, hop func(*analysis.Hop), omitted func(n int)) {
	n := min(sh.Hops-1, analysis.MaxPath)
	from, to := n, n
	switch {
	case sh.Far():
		from = most / 2
	case n > most:
		from, to = most/2, n-(most-most/2)
	}
	i := 0
	for h := range sh.Further() {
		switch {
		case i < from || i >= to:
			hop(h)
		case i == from:
			omitted(to - from)
		}
		i++
	}
}

// chains numbers the chains of waits by their signatures, which hold names only, no ids of
// one trace: so those of two traces can be compared.
type chains struct {
	paths      map[string]uint32 // by what appendPath writes
	key        []byte
	signatures format.Numbers[string]
	list       []chain
}

// chain is one signature: which groups of threads waited, for which class of lock, what its
// owner was doing, which lock that one waited for in turn, and so on to the owner that did
// not wait.
type chain struct {
	steps []Step
	hops  int // locks on the way, at least 1; of several ways the longest
}

// NewChains returns a pivot by chain of waits.
func NewChains() *Pivot { return New([]Key{ByChain}, true).Plain() }

// id returns the number of the chain that a share's path belongs to. It allocates only for
// new paths.
func (c *chains) id(sym *analysis.Symbols, waiter format.ThreadID, lock format.ObjectID, sh *analysis.Share) uint32 {
	most := maxHops
	c.key = appendPath(c.key[:0], sym, waiter, lock, sh, most)
	i, known := c.paths[string(c.key)]
	if !known && len(c.list) >= maxChains {
		most = 0
		c.key = appendPath(c.key[:0], sym, waiter, lock, sh, most)
		i, known = c.paths[string(c.key)]
	}
	if !known {
		i = c.named(stepsOf(sym, waiter, lock, sh, most))
	}
	c.list[i].hops = max(c.list[i].hops, sh.Hops)
	return i
}

// named gives a new path the number of its steps, which it may share with others: hidden
// classes that differ in their address only have one name.
func (c *chains) named(steps []Step) uint32 {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = s.Name
	}
	i := c.signatures.ID(strings.Join(names, StepSeparator))
	if int(i) == len(c.list) {
		c.list = append(c.list, chain{steps: steps})
	}
	if c.paths == nil {
		c.paths = map[string]uint32{}
	}
	c.paths[string(c.key)] = i
	return i
}

// appendPath appends to a key what stepsOf would name, as ids of this trace: a
// cheap test whether two paths are equal. Unequal keys may have one signature.
func appendPath(key []byte, sym *analysis.Symbols, waiter format.ThreadID, lock format.ObjectID, sh *analysis.Share, most int) []byte {
	key = binary.AppendUvarint(key, uint64(sym.Group(waiter)))
	key = binary.AppendUvarint(key, uint64(sym.Class(lock)))
	left := 0
	eachHop(sh, most, func(h *analysis.Hop) {
		key = binary.AppendUvarint(key, uint64(sym.Method(h.Stack)))
		key = binary.AppendUvarint(key, uint64(sym.Class(h.Lock)))
	}, func(n int) { left = n })
	if sh.Far() {
		key = binary.AppendUvarint(append(key, 1), uint64(sym.Class(sh.Last)))
	} else {
		key = append(key, 0)
	}
	key = binary.AppendUvarint(key, uint64(sh.Root.Kind))
	if sh.Root.Kind == analysis.OwnerThread {
		key = binary.AppendUvarint(key, uint64(sym.Method(sh.Root.Stack)))
	}
	return binary.AppendUvarint(append(key, byte(most)), uint64(left))
}

// stepsOf names the parts of a share's path through the wait-for graph: the group that
// waited, for which class of lock, what its owner was doing, which lock that
// one waited for in turn, up to the owner that did not wait. Of more than most
// further locks those in the middle are one step.
func stepsOf(sym *analysis.Symbols, waiter format.ThreadID, lock format.ObjectID, sh *analysis.Share, most int) []Step {
	steps := []Step{{RoleWaiter, sym.Groups().Name(sym.Group(waiter))}, lockStep(sym, lock)}
	eachHop(sh, most, func(h *analysis.Hop) {
		steps = append(steps, methodStep(sym, RoleOwner, h.Stack), lockStep(sym, h.Lock))
	}, func(n int) {
		more := ""
		if sh.Far() {
			more = " or more"
		}
		steps = append(steps, Step{RoleOwner, fmt.Sprintf("[… %s%s]", human.Some(n, "lock", "locks"), more)})
	})
	if sh.Far() {
		steps = append(steps, lockStep(sym, sh.Last))
	}
	switch sh.Root.Kind {
	case analysis.OwnerThread:
		return append(steps, methodStep(sym, RoleLeaf, sh.Root.Stack))
	case analysis.OwnerDeadlock:
		return append(steps, Step{RoleLeaf, DeadlockLeaf})
	}
	return append(steps, Step{RoleLeaf, analysis.PseudoOwner(sh.Root.Kind, 0)})
}

func lockStep(sym *analysis.Symbols, id format.ObjectID) Step {
	return Step{RoleLock, analysis.StableName(sym.ClassName(id))}
}

func methodStep(sym *analysis.Symbols, r Role, id format.StackID) Step {
	return Step{r, analysis.StableName(sym.Methods().Name(sym.Method(id)))}
}
