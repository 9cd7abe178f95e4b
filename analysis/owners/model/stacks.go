package model

import (
	"strings"

	"contend/format"
)

// stackIndex finds the sites of a group in stacks, each stack once.
type stackIndex struct {
	group    *Group
	through  map[format.StackID][]within
	acquires map[format.StackID]int
	path     path // scratch
}

// within is a site that a stack is inside of: on the very path of the site, or in its method only.
type within struct {
	site int
	path bool
}

func newStackIndex(gr *Group) stackIndex {
	return stackIndex{group: gr, through: map[format.StackID][]within{}, acquires: map[format.StackID]int{}}
}

// inside returns the sites that a stack leads through, by number.
func (x *stackIndex) inside(stack format.StackID) []within {
	in, ok := x.through[stack]
	if ok || stack == format.NoStack {
		return in
	}
	gr := x.group
	frames := gr.program.Frames(stack)
	x.path.set(frames, 0)
	placed, tested := gr.placed[stack]
	for n, s := range gr.sites {
		method, path := !tested && placeless(frames), tested && placed == n
		for i, suffix := range x.path.suffix {
			if x.path.method[i] == s.method {
				method = true
			}
			if at, ok := gr.byKey[suffix]; ok && at == n || s.home != 0 && suffix == s.home {
				path = true
				break
			}
		}
		if method || path {
			in = append(in, within{n, path})
		}
	}
	x.through[stack] = in
	return in
}

// placeless reports whether a stack shows what a thread does but not where, as that of a
// sleep by JDK 25.
func placeless(frames []format.Frame) bool { return len(frames) == 1 }

// siteOf returns the site at which a stack acquires the lock, noSite if none is known.
func (x *stackIndex) siteOf(stack format.StackID) int {
	at, ok := x.acquires[stack]
	if !ok {
		at = noSite
		if frames, from, known := x.group.anchored(stack); known {
			x.path.set(frames, from)
			if s, ok := x.group.byKey[x.path.suffix[0]]; ok {
				at = s
			}
		}
		x.acquires[stack] = at
	}
	return at
}

// innermost returns the innermost site on whose path a stack is. If there is none and
// byMethod is set, it returns the commonest site in whose method the stack is; else noSite.
func (x *stackIndex) innermost(stack format.StackID, byMethod bool) int {
	best, byPath := noSite, false
	for _, in := range x.inside(stack) {
		s := x.group.sites
		switch {
		case in.path && (!byPath || s[in.site].depth > s[best].depth):
			best, byPath = in.site, true
		case byMethod && !byPath && !in.path && (best < 0 || s[in.site].n > s[best].n):
			best = in.site
		}
	}
	return best
}

// path identifies a stack by its methods. Lines are left out, since they move between
// recordings, and successive calls of one method count once.
type path struct {
	method []uint64 // by level, innermost first: a hash of the method
	suffix []uint64 // by level: a hash of the method and all its callers
	frame  []int    // by level: its place in the stack, the outermost of a recursion
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashed(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

func methodOf(f *format.Frame) uint64 { return hashed(hashed(hashSeed, f.Class)*hashPrime, f.Method) }

// set makes it the path of a stack from frame number at outwards.
func (p *path) set(frames []format.Frame, at int) {
	p.method = p.method[:0]
	p.suffix = p.suffix[:0]
	p.frame = p.frame[:0]
	for i := at; i < len(frames); i++ {
		m := methodOf(&frames[i])
		if n := len(p.method); n > 0 && p.method[n-1] == m {
			p.frame[n-1] = i
			continue
		}
		p.method, p.frame = append(p.method, m), append(p.frame, i)
	}
	p.suffix = append(p.suffix, p.method...)
	h := uint64(hashSeed)
	for i := len(p.method) - 1; i >= 0; i-- {
		h = (h ^ p.method[i]) * hashPrime
		h ^= h >> 29
		p.suffix[i] = h
	}
}

// anchored returns the number of the frame that acquires the lock: of a synchronized section the innermost
// one but those of Object.wait, which returns into its section; else the innermost one outside of the lock's
// implementation.
func (gr *Group) anchored(stack format.StackID) (frames []format.Frame, at int, ok bool) {
	frames = gr.program.Frames(stack)
	if gr.block {
		at = ofObjectWait(frames)
	} else {
		at = len(frames) - len(gr.program.Application(stack))
	}
	return frames, at, at < len(frames)
}

// ofObjectWait returns how many of the innermost frames are those of Object.wait: never all.
func ofObjectWait(frames []format.Frame) (n int) {
	for n < len(frames)-1 && frames[n].Class == "java.lang.Object" && strings.HasPrefix(frames[n].Method, "wait") {
		n++
	}
	return n
}

// reacquires reports whether a stack waits for a monitor again after Object.wait.
func (gr *Group) reacquires(stack format.StackID) bool {
	return gr.block && ofObjectWait(gr.program.Frames(stack)) > 0
}
