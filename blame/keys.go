package blame

import (
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
)

// keyNames are the keys as users write them.
var keyNames = [keyCount]string{
	ByClass: "class", ByLock: "lock",
	ByOwnerStack: "owner-stack", ByOwnerMethod: "owner-method", ByOwnerThread: "owner-thread", ByOwnerGroup: "owner-group", ByOwnerTask: "owner-task", ByOwnerRegion: "owner-region",
	ByWaiterStack: "waiter-stack", ByWaiterMethod: "waiter-method", ByWaiterThread: "waiter-thread", ByWaiterGroup: "waiter-group", ByTask: "task", ByRegion: "region",
	ByOwnerOperation: "owner-operation", ByWaiterOperation: "waiter-operation",
	ByInput: "input",
}

// Keys are the names of all keys.
func Keys() []string { return slices.Clone(keyNames[:]) }

// String returns the key as users write it.
func (k Key) String() string {
	if int(k) < len(keyNames) {
		return keyNames[k]
	}
	return "invalid"
}

// ofOwner reports whether the key is about the owner, who may be a pseudo one.
func (k Key) ofOwner() bool {
	return k >= ByOwnerStack && k <= ByOwnerOperation
}

// ofWaiter reports whether the key tells waiters for one lock apart.
func (k Key) ofWaiter() bool { return !k.ofOwner() && k != ByClass && k != ByLock }

// IsOperation reports whether the key needs Pivot.Operations.
func (k Key) IsOperation() bool { return k == ByOwnerOperation || k == ByWaiterOperation }

// IsStack reports whether rows of the key carry a stack.
func (k Key) IsStack() bool { return k == ByOwnerStack || k == ByWaiterStack }

// ParseKeys reads a comma-separated list of keys. The error names the key
// that does not exist, or comes twice, and the ones that do.
func ParseKeys(s string) ([]Key, error) {
	var keys []Key
	seen := map[Key]bool{}
	for word := range strings.SplitSeq(s, ",") {
		k, ok := parseKey(strings.TrimSpace(word))
		if !ok {
			return nil, fmt.Errorf("no key is called %q; there are %s", word, strings.Join(keyNames[:], ", "))
		}
		if seen[k] {
			return nil, fmt.Errorf("key %q comes twice", word)
		}
		seen[k] = true
		keys = append(keys, k)
	}
	return keys, nil
}

func parseKey(word string) (Key, bool) {
	for k, name := range keyNames {
		if name == word {
			return Key(k), true
		}
	}
	return 0, false
}

// pseudo marks the ids of owners that are no threads; the kind and the number
// of the deadlock follow in the lower bits.
const pseudo = 1 << 31

// Pseudo reports whether an id of a key about owners is that of a pseudo owner.
func Pseudo(id uint32) bool { return id&pseudo != 0 }

// id returns what a waiter for a lock and one of its owners have for the key.
func (p *Pivot) id(k Key, lock format.ObjectID, w *analysis.Waiter, o analysis.Owner) uint32 {
	if k.ofOwner() && o.Kind != analysis.OwnerThread {
		return pseudo | uint32(o.Kind)<<24 | uint32(o.Cycle)&0xffffff
	}
	switch k {
	case ByClass:
		return p.sym.Class(lock)
	case ByLock:
		return uint32(lock)
	case ByOwnerStack:
		return p.stacks.canonical(p.sym, o.Stack)
	case ByOwnerMethod:
		return p.sym.Method(o.Stack)
	case ByOwnerThread:
		return uint32(o.Thread)
	case ByOwnerGroup:
		return p.sym.Group(o.Thread)
	case ByOwnerTask:
		return p.sym.Annotation(o.Stack, format.TaskClass)
	case ByOwnerRegion:
		return p.sym.Annotation(o.Stack, format.RegionClass)
	case ByTask:
		return p.sym.Annotation(w.Stack, format.TaskClass)
	case ByRegion:
		return p.sym.Annotation(w.Stack, format.RegionClass)
	case ByWaiterStack:
		return p.stacks.canonical(p.sym, w.Stack)
	case ByWaiterMethod:
		return p.sym.Method(w.Stack)
	case ByWaiterThread:
		return uint32(w.Thread)
	case ByOwnerOperation:
		return p.ops.id(p.sym, o.Stack)
	case ByWaiterOperation:
		return p.ops.id(p.sym, w.Stack)
	case ByInput:
		return p.sym.Input(w.Thread)
	default:
		return p.sym.Group(w.Thread)
	}
}

// text names an id.
func (p *Pivot) text(k Key, id uint32) (text string, stack []format.Frame) {
	if Pseudo(id) && k.ofOwner() {
		return analysis.PseudoOwner(analysis.OwnerKind(id>>24&0x7f), int32(id&0xffffff)), nil
	}
	switch k {
	case ByClass:
		return p.sym.Classes().Name(id), nil
	case ByLock:
		return p.sym.LockName(format.ObjectID(id)), nil
	case ByOwnerStack, ByWaiterStack:
		frames := p.sym.Frames(format.StackID(id))
		return analysis.StackText(frames), frames
	case ByOwnerMethod, ByWaiterMethod, ByOwnerTask, ByOwnerRegion, ByTask, ByRegion:
		return p.sym.Methods().Name(id), nil
	case ByOwnerThread, ByWaiterThread:
		return p.sym.ThreadName(format.ThreadID(id)), nil
	case ByOwnerOperation, ByWaiterOperation:
		return p.ops.names.Name(id), nil
	case ByInput:
		return p.sym.Inputs().Name(id), nil
	default:
		return p.sym.Groups().Name(id), nil
	}
}

// stackIDs makes one of stacks with equal frames, which a source may give
// several ids.
type stackIDs struct {
	first map[string]uint32
	byID  []uint32 // canonical id + 1
}

func (t *stackIDs) canonical(sym *analysis.Symbols, id format.StackID) uint32 {
	if id == format.NoStack || len(sym.Frames(id)) == 0 {
		return 0
	}
	for len(t.byID) <= int(id) {
		t.byID = append(t.byID, 0)
	}
	if t.byID[id] == 0 {
		text := analysis.StackText(sym.Frames(id))
		if t.first == nil {
			t.first = map[string]uint32{}
		}
		first, ok := t.first[text]
		if !ok {
			first = uint32(id)
			t.first[text] = first
		}
		t.byID[id] = first + 1
	}
	return t.byID[id] - 1
}
