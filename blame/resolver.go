package blame

import (
	"regexp"

	"contend/analysis"
	"contend/format"
)

// Resolver finds the ids of keys in the slices of one trace, and the names of the ids.
type Resolver struct {
	sym     *analysis.Symbols
	stacks  stackIDs
	ops     operations
	sites   Sites
	chains  chains
	waiting subject    // of the current call, so that a call allocates nothing
	owners  [2]subject // the direct owner and the root of the current call; the share is set once they are known
}

// Begin sets the symbols of the trace.
func (r *Resolver) Begin(sym *analysis.Symbols) {
	r.sym = sym
	r.sites.Begin(sym)
}

// App sets the program's own code: the frames whose Class.method matches the expression; nil means
// all but known libraries.
func (r *Resolver) App(own *regexp.Regexp) { r.sites = *NewSites(own) }

// Operations sets the names of the operation keys: the outermost frame whose Class.method matches
// the expression names a stack. The first group of the expression is the name if it has one, else
// the whole frame.
func (r *Resolver) Operations(frames *regexp.Regexp) { r.ops.frames = frames }

// pseudo marks the ids of owners that are no threads; the kind and the number
// of the deadlock follow in the lower bits.
const pseudo = 1 << 31

// Pseudo reports whether an id of a key of owners is that of a pseudo owner.
func Pseudo(id uint32) bool { return id&pseudo != 0 }

// pseudoID is the id of a pseudo owner, PseudoOwner the owner with the id.
func pseudoID(o *analysis.Owner) uint32 {
	return pseudo | uint32(o.Kind)<<24 | uint32(o.Cycle)&0xffffff
}

// PseudoOwner returns the pseudo owner with an id of a key of owners; for other ids, an owner of kind
// analysis.OwnerThread.
func PseudoOwner(id uint32) analysis.Owner {
	if !Pseudo(id) {
		return analysis.Owner{Kind: analysis.OwnerThread}
	}
	return analysis.Owner{Kind: analysis.OwnerKind(id >> 24 &^ (pseudo >> 24)), Cycle: int32(id & 0xffffff)}
}

// Sites returns the sites of the program, which the keys of sites use.
func (r *Resolver) Sites() *Sites { return &r.sites }

// AnyShare is the share of a waiter if no key is of owners, and of a wait of length zero, which has
// no owner.
var AnyShare = &analysis.Share{Direct: nobody, Root: nobody}

var nobody = analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}

// Find sets ids, as many as by, to the ids of each column for a waiter of a lock and the owners of a
// share of its time. If no column is of waiters, any waiter will do.
func (r *Resolver) Find(ids []uint32, by []Column, lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) {
	r.waiting = subject{thread: w.Thread, stack: w.Stack, lock: lock, last: sh.Last, mode: w.Mode, share: sh}
	r.owners[0].share, r.owners[1].share = nil, nil
	for i, c := range by {
		key := &keys[c.Key]
		switch o := sh.Owner(c.Root); {
		case key.side != owner:
			ids[i] = key.kind.id(r, &r.waiting)
		case o.Kind != analysis.OwnerThread:
			ids[i] = pseudoID(o)
		default:
			ids[i] = key.kind.id(r, r.owner(c.Root, lock, sh))
		}
	}
}

// owner returns the direct owner of a share of waiting for a lock, or the root.
func (r *Resolver) owner(root bool, lock format.ObjectID, sh *analysis.Share) *subject {
	if root {
		if of := &r.owners[1]; of.share == nil {
			*of = subject{
				thread: sh.Root.Thread,
				stack:  sh.Root.Stack,
				lock:   sh.Last,
				last:   sh.Last,
				did:    sh.Root.Did,
				share:  sh,
			}
		}
		return &r.owners[1]
	}
	if of := &r.owners[0]; of.share == nil {
		*of = subject{
			thread: sh.Direct.Thread,
			stack:  sh.Direct.Stack,
			lock:   lock,
			last:   sh.Last,
			did:    sh.Direct.Did,
			share:  sh,
		}
		if sh.Path != nil {
			of.blocked = sh.Path.Lock
		}
	}
	return &r.owners[0]
}

// Text returns the name of an id; for a key of stacks also the stack, nil for a pseudo owner.
func (r *Resolver) Text(k Key, id uint32) (text string, stack []format.Frame) {
	key := &keys[k]
	if id == Other {
		return OtherText, nil
	}
	if key.side == owner && Pseudo(id) {
		o := PseudoOwner(id)
		return analysis.PseudoOwner(o.Kind, o.Cycle), nil
	}
	return key.kind.text(r, id), r.stack(k, id)
}

// stack returns the stack of an id, nil if there is none.
func (r *Resolver) stack(k Key, id uint32) []format.Frame {
	if key := &keys[k]; !key.kind.stack || id == Other || key.side == owner && Pseudo(id) {
		return nil
	}
	return r.sym.Frames(format.StackID(id))
}

// stackIDs maps stacks with equal frames, which may have several ids in a source, to the first id.
type stackIDs struct {
	first map[string]uint32
	of    PerStack
}

func (t *stackIDs) canonical(sym *analysis.Symbols, id format.StackID) uint32 {
	if id == format.NoStack || len(sym.Frames(id)) == 0 {
		return 0
	}
	return t.of.ID(id, func() uint32 {
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
