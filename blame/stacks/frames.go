package stacks

import (
	"encoding/binary"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Role says what a frame of a sample belongs to.
type Role string

// The roles.
const (
	Waiter Role = "waiter" // the stack of a thread that waits
	Lock   Role = "lock"   // names a lock, between its waiter and its owner
	Owner  Role = "owner"  // the stack of an owner, or a pseudo owner
)

// Frame is one line of a sample's stack.
type Frame struct {
	Frame format.Frame
	Role  Role
}

// Frames returns a sample's stack, innermost frame first. In a chain the last
// owner is innermost: it is the cause of all that is outside of it.
func (b *Builder) Frames(s *Sample) []Frame {
	if b.view == Blocked {
		return b.stack(nil, s.Key.WaiterStack, Waiter)
	}
	if b.view == Site && s.Key.Owner.Kind == analysis.OwnerThread {
		return b.frames(nil, b.sites.Taking(s.Key.Owner.Stack, s.Key.Lock), Owner)
	}
	if b.view == Blame || b.view == Site {
		return b.owner(nil, s.Key.Owner)
	}
	return b.chain(s)
}

// stack adds a stack.
func (b *Builder) stack(frames []Frame, id format.StackID, r Role) []Frame {
	return b.frames(frames, b.sym.Frames(id), r)
}

func (b *Builder) frames(frames []Frame, list []format.Frame, r Role) []Frame {
	if len(list) == 0 {
		return append(frames, Frame{format.Frame{Method: analysis.UnknownStack}, r})
	}
	if b.short && len(list) > keptInner+keptOuter+1 {
		frames = b.put(frames, list[:keptInner], r)
		frames = append(frames, omitted(len(list)-keptInner-keptOuter, r))
		return b.put(frames, list[len(list)-keptOuter:], r)
	}
	return b.put(frames, list, r)
}

func (b *Builder) put(frames []Frame, list []format.Frame, r Role) []Frame {
	for _, f := range list {
		if b.Stable && f.Class == "java.lang.Thread" && f.Method == "runWith" {
			continue // JDK 21 and later run through it: below it all stacks would differ from those of 17
		}
		if b.Stable {
			f.Class, f.Line = analysis.StableName(f.Class), 0
		}
		frames = append(frames, Frame{f, r})
	}
	return frames
}

func (b *Builder) owner(frames []Frame, o analysis.Owner) []Frame {
	if o.Kind == analysis.OwnerDeadlock && b.Stable {
		return append(frames, Frame{format.Frame{Method: blame.DeadlockLeaf}, Owner})
	}
	if o.Kind != analysis.OwnerThread {
		return append(frames, Frame{format.Frame{Method: analysis.PseudoOwner(o.Kind, o.Cycle)}, Owner})
	}
	list := b.sym.Frames(o.Stack)
	for len(list) > 1 && analysis.LockFrame(list[0]) { // an acquire or a release is no cause
		list = list[1:]
	}
	return b.frames(frames, list, Owner)
}

func (b *Builder) lock(frames []Frame, id format.ObjectID, folded bool) []Frame {
	var says string
	switch {
	case b.Stable:
		says = lockPrefix + analysis.StableName(b.sym.ClassName(id))
	case folded:
		says = lockPrefix + b.sym.ClassName(id)
	default:
		says = b.lockFrame(id)
	}
	return append(frames, Frame{format.Frame{Method: says}, Lock})
}

// paths numbers the chains of hops seen, from 1; 0 is the empty one.
type paths struct {
	ids  map[string]int32
	list []path
	key  []byte
}

// id returns the number of the path of a share; cut for one that was not seen, when no
// more are numbered.
func (p *paths) id(sh *analysis.Share, full bool) int32 {
	if sh.Path == nil {
		return 0
	}
	p.key = p.key[:0]
	if sh.Far() {
		p.key = append(p.key, 0)
	}
	for h := range sh.Further() {
		p.key = binary.AppendUvarint(
			binary.AppendUvarint(p.key, uint64(h.Stack)),
			uint64(h.Lock),
		) // the thread is not part of the stack
	}
	if id, ok := p.ids[string(p.key)]; ok {
		return id
	}
	if full {
		return cut
	}
	if p.ids == nil {
		p.ids = map[string]int32{}
	}
	var hops []analysis.Hop
	for h := range sh.Further() {
		hops = append(hops, analysis.Hop{Thread: h.Thread, Stack: h.Stack, Lock: h.Lock})
	}
	p.list = append(p.list, path{hops, sh.Far()})
	id := int32(len(p.list))
	p.ids[string(p.key)] = id
	return id
}

// path is the hops of one; of a far one not all.
type path struct {
	hops []analysis.Hop
	far  bool
}

func (p *paths) path(id int32) path {
	switch {
	case id == cut:
		return path{far: true}
	case id == 0:
		return path{}
	}
	return p.list[id-1]
}
