package blame

import (
	"encoding/binary"
	"fmt"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// Role is the kind of a step in a chain of waits.
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

// DeadlockLeaf is the leaf of every chain that returns to itself. The number of a deadlock has no
// meaning in another trace.
const DeadlockLeaf = "[deadlock]"

// The name of a chain of more than maxHops locks omits the middle. The waits of a few hundred
// threads in a row would otherwise be as many long chains as there are combinations of their
// activities. Beyond maxChains, new chains are named by their ends alone.
const (
	maxHops   = 16
	maxChains = 1 << 15
)

// eachHop visits the hops of a share's path. If there are more than most, it calls omitted for those
// in the middle. A far path has only its first hops and its last lock.
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

// chains numbers the chains of waits by their signatures. These hold names and no ids, so that the
// chains of two traces can be compared.
type chains struct {
	paths      map[string]uint32 // by what appendPath writes
	key        []byte
	signatures format.Interner[string]
	list       []chain
}

// chain is one signature: the group of the waiting threads, the class of their lock, the method of
// its owner, the class of the lock that the owner waited for, and so on to the owner that did not
// wait.
type chain struct {
	steps []Step
	hops  int // locks on the longest path with this signature, at least 1
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

// named gives a new path the number of its steps. Paths may share it: hidden classes that differ
// only in their address have one name.
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

// appendPath appends the ids of the steps of a path to a key. Equal keys are a cheap test for equal
// paths; unequal keys may have one signature.
func appendPath(
	key []byte,
	sym *analysis.Symbols,
	waiter format.ThreadID,
	lock format.ObjectID,
	sh *analysis.Share,
	most int,
) []byte {
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

// stepsOf names the parts of a share's path through the wait-for graph: the group of the waiter, the
// class of its lock, the method of the owner, the class of the lock that the owner waited for, up to
// the owner that did not wait. With more than most further locks, those in the middle are one step.
func stepsOf(sym *analysis.Symbols, waiter format.ThreadID, lock format.ObjectID, sh *analysis.Share, most int) []Step {
	steps := []Step{{RoleWaiter, sym.Groups().Value(sym.Group(waiter))}, lockStep(sym, lock)}
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
	return Step{r, analysis.StableName(sym.Methods().Value(sym.Method(id)))}
}
