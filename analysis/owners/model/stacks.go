package model

import "contend/format"

// stackIndex finds the sites of a class in stacks, each stack once.
type stackIndex struct {
	class    *Class
	through  map[format.StackID][]within
	acquires map[format.StackID]int
	path     path // scratch
}

// within is a site that a stack is inside of: on the very path of the site, or in its method only.
type within struct {
	site int
	path bool
}

func newStackIndex(c *Class) stackIndex {
	return stackIndex{class: c, through: map[format.StackID][]within{}, acquires: map[format.StackID]int{}}
}

// inside returns the sites that a stack leads through, by number.
func (x *stackIndex) inside(stack format.StackID) []within {
	in, ok := x.through[stack]
	if ok || stack == format.NoStack {
		return in
	}
	c := x.class
	frames := c.program.Frames(stack)
	x.path.set(frames, 0)
	placed, tested := c.placed[stack]
	for n, s := range c.sites {
		method, path := !tested && placeless(frames), tested && placed == n
		for i, suffix := range x.path.suffix {
			if x.path.method[i] == s.method {
				method = true
			}
			if at, ok := c.byKey[suffix]; ok && at == n || s.home != 0 && suffix == s.home {
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

// siteOf returns the site at which a stack acquires the lock, -1 if none is known.
func (x *stackIndex) siteOf(stack format.StackID) int {
	at, ok := x.acquires[stack]
	if !ok {
		at = -1
		if frames, from, known := x.class.anchored(stack); known {
			x.path.set(frames, from)
			if s, ok := x.class.byKey[x.path.suffix[0]]; ok {
				at = s
			}
		}
		x.acquires[stack] = at
	}
	return at
}

// innermost returns the innermost site on whose path a stack is. If there is none and
// byMethod is set, it returns the commonest site in whose method the stack is; else -1.
func (x *stackIndex) innermost(stack format.StackID, byMethod bool) int {
	best, byPath := -1, false
	for _, in := range x.inside(stack) {
		s := x.class.sites
		switch {
		case in.path && (!byPath || s[in.site].depth > s[best].depth):
			best, byPath = in.site, true
		case byMethod && !byPath && !in.path && (best < 0 || s[in.site].n > s[best].n):
			best = in.site
		}
	}
	return best
}
