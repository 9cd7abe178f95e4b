package stacks

import (
	"fmt"

	"contend/analysis"
	"contend/format"
)

// A chain puts whole stacks on top of each other, and there are as many chains as ways to
// combine them. If stacks are thousands of frames deep, the picture of a small trace would
// fill the memory. So a chain of more than maxChain frames shows its stacks without their
// middle, and a frame in that place says how many frames are missing. The waiting is kept.
const (
	maxChain  = 512 // frames; stacks as deep as recorders keep them make up to eight
	keptInner = 48  // of a stack in a longer chain
	keptOuter = 16
	maxHops   = 16 // locks in a longer chain; those in the middle are left out
)

// omitted stands for frames left out.
func omitted(n int, r Role) Frame {
	return Frame{format.Frame{Method: fmt.Sprintf("[… %d frames]", n)}, r}
}

// between stands for the locks that are not known one by one: of folded chains, see folded,
// and of far paths.
var between = Frame{format.Frame{Method: "[… further locks]"}, Owner}

// chain is the stack of a sample in the view Chain.
func (b *Builder) chain(s *Sample) []Frame {
	way := b.paths.path(s.Key.path)
	hops := way.hops
	from, to := 0, 0 // of the hops, what is left out
	depth := b.depth(s, hops)
	if depth > maxChain {
		b.short = true
		defer func() { b.short = false }()
		if len(hops) > maxHops {
			from, to = maxHops/2, len(hops)-maxHops/2
		}
	}
	frames := b.owner(make([]Frame, 0, min(depth, maxChain)+2), s.Key.Owner)
	if way.far {
		frames = append(frames, between)
	}
	for i := len(hops) - 1; i >= 0; i-- {
		if i >= from && i < to {
			frames = append(frames, omitted(b.deep(hops[from:to]), Owner))
			i = from
			continue
		}
		frames = b.stack(b.lock(frames, hops[i].Lock, false), hops[i].Stack, Owner)
	}
	frames = b.lock(frames, s.Key.Lock, s.Key.folded)
	if s.Key.folded && s.Key.WaiterStack == format.NoStack {
		return append(frames, Frame{format.Frame{Method: "[… many stacks]"}, Waiter})
	}
	return b.stack(frames, s.Key.WaiterStack, Waiter)
}

// depth is how many frames a chain has.
func (b *Builder) depth(s *Sample, hops []analysis.Hop) int {
	n := len(b.sym.Frames(s.Key.WaiterStack)) + 1 + b.deep(hops)
	if s.Key.Owner.Kind == analysis.OwnerThread {
		n += len(b.sym.Frames(s.Key.Owner.Stack))
	}
	return n
}

// deep is how many frames hops have, with one for each lock.
func (b *Builder) deep(hops []analysis.Hop) int {
	n := len(hops)
	for i := range hops {
		n += max(len(b.sym.Frames(hops[i].Stack)), 1)
	}
	return n
}
