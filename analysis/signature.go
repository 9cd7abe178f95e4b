package analysis

import (
	"encoding/binary"
	"strings"

	"contend/format"
)

// Role says what a step of a chain of waits is.
type Role uint8

// The roles.
const (
	RoleWaiter Role = iota // a group of threads
	RoleLock               // a class of locks
	RoleOwner              // a method
	RoleLeaf               // the method of the owner that waited for nobody, or a pseudo owner
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

// Signature writes steps on one line. It holds names only, no ids of one
// trace, so that the signatures of two traces can be compared.
func Signature(steps []Step) string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = s.Name
	}
	return strings.Join(names, StepSeparator)
}

// AppendPath appends to a key what Steps would name, as ids of this trace: a
// cheap test whether two paths are equal. Unequal keys may have one signature.
func (s *Symbols) AppendPath(key []byte, t format.ThreadID, lock format.ObjectID, sh *Share) []byte {
	key = binary.AppendUvarint(key, uint64(s.Group(t)))
	key = binary.AppendUvarint(key, uint64(s.Class(lock)))
	for h := sh.Path; h != nil; h = h.Next {
		key = binary.AppendUvarint(key, uint64(s.Method(h.Stack)))
		key = binary.AppendUvarint(key, uint64(s.Class(h.Lock)))
	}
	key = binary.AppendUvarint(key, uint64(sh.Root.Kind))
	if sh.Root.Kind == OwnerThread {
		key = binary.AppendUvarint(key, uint64(s.Method(sh.Root.Stack)))
	}
	return key
}

// Steps names the parts of a share's path through the wait-for graph: who
// waited, for which class of lock, what its owner was doing, which lock that
// one waited for in turn, up to the owner that waited for nobody.
func (s *Symbols) Steps(t format.ThreadID, lock format.ObjectID, sh *Share) []Step {
	steps := []Step{{RoleWaiter, s.groups.Name(s.Group(t))}, s.lockStep(lock)}
	for h := sh.Path; h != nil; h = h.Next {
		steps = append(steps, s.methodStep(RoleOwner, h.Stack), s.lockStep(h.Lock))
	}
	switch sh.Root.Kind {
	case OwnerThread:
		return append(steps, s.methodStep(RoleLeaf, sh.Root.Stack))
	case OwnerDeadlock:
		return append(steps, Step{RoleLeaf, DeadlockLeaf})
	}
	return append(steps, Step{RoleLeaf, PseudoOwner(sh.Root.Kind, 0)})
}

func (s *Symbols) lockStep(id format.ObjectID) Step {
	return Step{RoleLock, StableName(s.ClassName(id))}
}

func (s *Symbols) methodStep(r Role, id format.StackID) Step {
	return Step{r, StableName(s.methods.Name(s.Method(id)))}
}

// StableName removes from a name what a JVM draws anew at each start: the
// number and address of a hidden class, as in App$$Lambda/0x00007f1c2c0a1bc8.run
// or App$$Lambda$14+0x0000000800c03000.1234.
func StableName(name string) string {
	for _, mark := range [...]string{"$$Lambda", "LambdaForm$", "GeneratedMethodAccessor", "GeneratedConstructorAccessor", "$Proxy"} {
		i := strings.Index(name, mark)
		if i < 0 {
			continue
		}
		end := i + len(mark)
		rest := name[end:]
		if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
			return name[:end] + rest[dot:]
		}
		return name[:end]
	}
	return name
}
