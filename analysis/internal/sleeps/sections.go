package sleeps

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"contend/analysis"
	"contend/format"
)

// sections are the sites where locks are acquired and held, by hash.
type sections struct {
	methods map[uint64][]*lockGroup // by method and call site: the locks that it acquires
	callers map[uint64][]*lockGroup // by the caller of such a method, which may be a lock of the program's own
	held    map[uint64]bool         // stacks with which dumps show locks held
}

// lockGroup is the locks of one class that a method acquires at one call site. A thread that
// passes through it holds one of them.
type lockGroup struct {
	class  uint32
	locks  []format.ObjectID // ascending, without repetition
	shared bool              // one was acquired for reading: a thread inside excludes writers only
}

// acquiredAt returns the sections of a trace. Readers are the stacks that acquire in shared mode.
func (s *Sites) acquiredAt(defs *analysis.Symbols, readers map[format.StackID]bool) sections {
	in := sections{map[uint64][]*lockGroup{}, map[uint64][]*lockGroup{}, map[uint64]bool{}}
	s.seed = maphash.MakeSeed()
	for _, a := range defs.Acquisitions() {
		frames := app(defs.Frames(a.Stack))
		if len(frames) == 0 {
			continue
		}
		class, shared := defs.Class(a.Lock), readers[a.Stack]
		outer := s.hash(frames[1:])
		addLock(in.methods, s.method(frames[0], outer), class, a.Lock, shared)
		if len(frames) > 1 {
			addLock(in.callers, s.method(frames[1], s.hash(frames[2:])), class, a.Lock, shared)
		}
		if s.took[a.Stack] {
			in.held[s.line(frames[0], outer)] = true
		}
	}
	for _, by := range []map[uint64][]*lockGroup{in.methods, in.callers} {
		for _, groups := range by {
			for _, g := range groups {
				slices.Sort(g.locks)
				g.locks = slices.Compact(g.locks)
			}
		}
	}
	return in
}

// addLock adds a lock to the group of its class at a site.
func addLock(by map[uint64][]*lockGroup, site uint64, class uint32, lock format.ObjectID, shared bool) {
	i := slices.IndexFunc(by[site], func(g *lockGroup) bool { return g.class == class })
	if i < 0 {
		i = len(by[site])
		by[site] = append(by[site], &lockGroup{class: class})
	}
	g := by[site][i]
	g.locks, g.shared = append(g.locks, lock), g.shared || shared
}

// app returns the frames from the innermost application frame outwards; all if there is
// none.
func app(frames []format.Frame) []format.Frame {
	i := slices.IndexFunc(frames, func(f format.Frame) bool { return !analysis.RuntimeFrame(f) })
	return frames[max(i, 0):]
}

// Passes follows a stack inwards; Classify comes before it. inside reports whether a lock is
// held with it. near are the locks that are acquired in a method it passes through, far those
// acquired by a method that such a method calls.
func (s *Sites) Passes(frames []format.Frame) (inside bool, near, far []format.ObjectID) {
	inside, nearGroups, farGroups := s.groups(frames)
	return inside, locksOf(nearGroups), locksOf(farGroups)
}

// groups is Passes with the locks in groups.
func (s *Sites) groups(frames []format.Frame) (inside bool, near, far []*lockGroup) {
	outer := s.hash(nil)
	for i := len(frames) - 1; i >= 0 && !inside; i-- {
		method := s.method(frames[i], outer)
		near, far = append(near, s.in.methods[method]...), append(far, s.in.callers[method]...)
		outer = s.line(frames[i], outer)
		inside = s.in.held[outer]
	}
	return inside, near, far
}

func locksOf(groups []*lockGroup) (list []format.ObjectID) {
	for _, g := range groups {
		list = append(list, g.locks...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// hash returns the hash of a stack, from its outermost frame inwards.
func (s *Sites) hash(frames []format.Frame) uint64 {
	h := uint64(0)
	for i := len(frames) - 1; i >= 0; i-- {
		h = s.line(frames[i], h)
	}
	return h
}

func (s *Sites) line(f format.Frame, outer uint64) uint64 {
	return s.method(f, outer) ^ (uint64(f.Line)+1)*0x9e3779b97f4a7c15
}

func (s *Sites) method(f format.Frame, outer uint64) uint64 {
	class, method := maphash.String(s.seed, f.Class), maphash.String(s.seed, f.Method)
	return (bits.RotateLeft64(outer, 23)^class)*0x9e3779b97f4a7c15 ^ method
}
