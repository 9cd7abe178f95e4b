package whatif

import "slices"

// program is the endlessly repeated work of a thread.
type program struct {
	steps      []step
	thread     int32
	startDelay int64 // the part of the time before the first step that is not repeated
}

// part is a set of threads and locks that no other thread or lock interacts with: a change
// elsewhere does not affect it.
type part struct {
	programs []program // their steps number the locks of the part
	locks    []int32   // by number in the part: the number in the trace
	sections []uint32  // of its threads
	external bool      // something outside ends idle times of its threads
	base     outcomes  // without a change
	control  outcomes  // with the small changes
}

// split returns the parts of a trace in the order of their first threads.
func split(programs []program, locks int) (parts []*part) {
	of, local := newSets(locks), make([]int32, locks)
	for i := range programs {
		for _, s := range programs[i].steps {
			if s.op != restart {
				of.join(programs[i].steps[0].lock, s.lock)
			}
		}
	}
	byRoot := make([]*part, locks)
	for l := range int32(locks) {
		root := of.root(l)
		if byRoot[root] == nil {
			byRoot[root] = &part{}
		}
		p := byRoot[root]
		local[l] = int32(len(p.locks))
		p.locks = append(p.locks, l)
	}
	for _, one := range programs {
		p := byRoot[of.root(one.steps[0].lock)]
		if len(p.programs) == 0 {
			parts = append(parts, p)
		}
		p.addThread(one, local)
	}
	return parts
}

// addThread adds a thread and renumbers its locks.
func (p *part) addThread(one program, local []int32) {
	p.programs = append(p.programs, one)
	for j := range one.steps {
		s := &one.steps[j]
		p.external = p.external || s.external && s.inside == outside
		if s.op == restart {
			continue
		}
		s.lock = local[s.lock]
		if n := len(p.sections); n == 0 || p.sections[n-1] != s.hold.section {
			p.sections = append(p.sections, s.hold.section)
		}
	}
	slices.Sort(p.sections)
	p.sections = slices.Compact(p.sections)
}

// touches reports whether a change affects a part.
func (e *effect) touches(p *part) bool {
	return slices.ContainsFunc(p.sections, func(s uint32) bool { return e.shrinks(s) || contains(e.readers, s) }) ||
		slices.ContainsFunc(p.locks, func(l int32) bool { return e.removed[l] || e.stripes[l].count > 1 })
}

// sets are disjoint sets of numbers.
type sets []int32

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// root returns the representative of the set of a number.
func (s sets) root(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(a, b int32) { s[s.root(a)] = s.root(b) }
