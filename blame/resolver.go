package blame

import (
	"regexp"

	"contend/analysis"
	"contend/format"
)

// Resolver finds the ids of keys in the slices of one trace, and the names
// behind the ids.
type Resolver struct {
	sym    *analysis.Symbols
	stacks stackIDs
	ops    operations
}

// IDs holds one id per key asked for; unused places are zero.
type IDs [len(keys)]uint32

// Begin gives the symbols of the trace, as analysis.Visitor's Begin does.
func (r *Resolver) Begin(sym *analysis.Symbols) { r.sym = sym }

// Operations says how stacks are named by the operation keys: by the outermost
// frame, as Class.Method, that the expression matches. Its first group is the
// name if it has one, else the whole frame is.
func (r *Resolver) Operations(frames *regexp.Regexp) { r.ops.frames = frames }

// pseudo marks the ids of owners that are no threads; the kind and the number
// of the deadlock follow in the lower bits.
const pseudo = 1 << 31

// Pseudo reports whether an id of a key about owners is that of a pseudo owner.
func Pseudo(id uint32) bool { return id&pseudo != 0 }

// IDs returns what a waiter for a lock and one of its owners have for each key.
// Where no key is about owners, any owner will do; where none is about
// waiters, any waiter.
func (r *Resolver) IDs(by []Key, lock format.ObjectID, w *analysis.Waiter, o analysis.Owner) (ids IDs) {
	waiting := subject{w.Thread, w.Stack, lock, w.Mode}
	of := [...]subject{waiter: waiting, ofLock: waiting, owner: {thread: o.Thread, stack: o.Stack}}
	for i, k := range by {
		key := &keys[k]
		if key.side == owner && o.Kind != analysis.OwnerThread {
			ids[i] = pseudo | uint32(o.Kind)<<24 | uint32(o.Cycle)&0xffffff
			continue
		}
		ids[i] = key.kind.id(r, of[key.side])
	}
	return ids
}

// Text names an id; a key of stacks also gives the stack, nil for a pseudo
// owner.
func (r *Resolver) Text(k Key, id uint32) (text string, stack []format.Frame) {
	key := &keys[k]
	switch {
	case key.side == owner && Pseudo(id):
		return analysis.PseudoOwner(analysis.OwnerKind(id>>24&0x7f), int32(id&0xffffff)), nil
	case key.kind.stack:
		stack = r.sym.Frames(format.StackID(id))
	}
	return key.kind.text(r, id), stack
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
