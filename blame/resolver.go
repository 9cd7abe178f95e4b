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
	sites  Sites
	chains chains
	of     [owner + 1]subject // of what is asked for now, so that asking allocates nothing
}

// IDs holds one id per key asked for; unused places are zero.
type IDs [len(keys)]uint32

// Begin gives the symbols of the trace, as analysis.Visitor's Begin does.
func (r *Resolver) Begin(sym *analysis.Symbols) {
	r.sym = sym
	r.sites.Begin(sym)
}

// App says what the sites are of: the program's own code are the frames, written
// Class.method, that the expression matches; nil means all that are not known to
// be libraries.
func (r *Resolver) App(own *regexp.Regexp) { r.sites = *NewSites(own) }

// Operations says how stacks are named by the operation keys: by the outermost
// frame, as Class.Method, that the expression matches. Its first group is the
// name if it has one, else the whole frame is.
func (r *Resolver) Operations(frames *regexp.Regexp) { r.ops.frames = frames }

// pseudo marks the ids of owners that are no threads; the kind and the number
// of the deadlock follow in the lower bits.
const pseudo = 1 << 31

// Pseudo reports whether an id of a key about owners is that of a pseudo owner.
func Pseudo(id uint32) bool { return id&pseudo != 0 }

// KindOf returns the kind of owner that an id of a key about owners has.
func KindOf(id uint32) analysis.OwnerKind {
	if !Pseudo(id) {
		return analysis.OwnerThread
	}
	return analysis.OwnerKind(id >> 24 &^ (pseudo >> 24))
}

// Charge is what a share of some waiting is charged to: an owner and its locks.
type Charge struct {
	Owner   analysis.Owner
	Owned   format.ObjectID // the lock it owns: that of the wait, or the last of the chain
	Blocked format.ObjectID // the lock the owner waits for in turn; NoObject for none
	Last    format.ObjectID // the lock at the end of the chain of waits

	share *analysis.Share
}

// ChargeOf returns what a share of the waiting for a lock is charged to: the
// direct owner, or the root.
func ChargeOf(lock format.ObjectID, sh *analysis.Share, root bool) Charge {
	switch {
	case root:
		return Charge{Owner: sh.Root, Owned: sh.Last, Last: sh.Last, share: sh}
	case sh.Path != nil:
		return Charge{sh.Direct, lock, sh.Path.Lock, sh.Last, sh}
	}
	return Charge{Owner: sh.Direct, Owned: lock, Last: sh.Last, share: sh}
}

// Sites are the places in the program by which the keys of sites are known.
func (r *Resolver) Sites() *Sites { return &r.sites }

// IDs returns what a waiter for a lock and one of its owners have for each key.
// Where no key is about owners, any owner will do; where none is about
// waiters, any waiter.
func (r *Resolver) IDs(by []Key, lock format.ObjectID, w *analysis.Waiter, c *Charge) (ids IDs) {
	r.find(ids[:len(by)], by, lock, w, c)
	return ids
}

// find is IDs into a list as long as by.
func (r *Resolver) find(ids []uint32, by []Key, lock format.ObjectID, w *analysis.Waiter, c *Charge) {
	waiting := subject{thread: w.Thread, stack: w.Stack, lock: lock, last: c.Last, mode: w.Mode, share: c.share}
	r.of[waiter], r.of[ofLock] = waiting, waiting
	r.of[owner] = subject{thread: c.Owner.Thread, stack: c.Owner.Stack, lock: c.Owned, last: c.Last, blocked: c.Blocked, did: c.Owner.Did}
	for i, k := range by {
		key := &keys[k]
		if key.side == owner && c.Owner.Kind != analysis.OwnerThread {
			ids[i] = pseudo | uint32(c.Owner.Kind)<<24 | uint32(c.Owner.Cycle)&0xffffff
			continue
		}
		ids[i] = key.kind.id(r, &r.of[key.side])
	}
}

// Text names an id; a key of stacks also gives the stack, nil for a pseudo
// owner.
func (r *Resolver) Text(k Key, id uint32) (text string, stack []format.Frame) {
	key := &keys[k]
	if id == Other {
		return OtherText, nil
	}
	if key.side == owner && Pseudo(id) {
		return analysis.PseudoOwner(analysis.OwnerKind(id>>24&0x7f), int32(id&0xffffff)), nil
	}
	return key.kind.text(r, id), r.stack(k, id)
}

// stack returns the stack behind an id, nil where there is none.
func (r *Resolver) stack(k Key, id uint32) []format.Frame {
	if key := &keys[k]; !key.kind.stack || id == Other || key.side == owner && Pseudo(id) {
		return nil
	}
	return r.sym.Frames(format.StackID(id))
}

// stackIDs makes one of stacks with equal frames, which a source may give
// several ids: the first of them.
type stackIDs struct {
	first map[string]uint32
	of    perStack
}

func (t *stackIDs) canonical(sym *analysis.Symbols, id format.StackID) uint32 {
	if id == format.NoStack || len(sym.Frames(id)) == 0 {
		return 0
	}
	return t.of.id(id, func() uint32 {
		if t.first == nil {
			t.first = map[string]uint32{}
		}
		text := analysis.StackText(sym.Frames(id))
		first, ok := t.first[text]
		if !ok {
			first = uint32(id)
			t.first[text] = first
		}
		return first
	})
}
