package sites

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// taken is where locks were seen taken: by lock, and by class of lock, the
// methods with their lines.
type taken struct {
	next    int // of the trace's acquisitions: how many are in here
	locks   map[format.ObjectID]map[place][]int
	classes map[uint32]map[place][]int
	stacks  map[analysis.Acquisition]bool
}

// place is a method.
type place struct{ class, method string }

func placeOf(f format.Frame) place { return place{f.Class, f.Method} }

func newTaken() taken {
	return taken{locks: map[format.ObjectID]map[place][]int{}, classes: map[uint32]map[place][]int{}, stacks: map[analysis.Acquisition]bool{}}
}

func (t *taken) ofLock(l format.ObjectID) map[place][]int { return t.locks[l] }

func (t *taken) ofClass(c uint32) map[place][]int { return t.classes[c] }

// with reports whether a stack is one with which a lock was taken.
func (t *taken) with(a analysis.Acquisition) bool { return t.stacks[a] }

// learn takes the acquisitions of the trace that are new.
func (s *Sites) learn() {
	all := s.sym.Acquisitions()
	for t := &s.taken; t.next < len(all); t.next++ {
		a := all[t.next]
		t.stacks[a] = true
		m := s.stack(a.Stack)
		if m.own < 0 {
			continue
		}
		f := s.sym.Frames(a.Stack)[m.own]
		note(t.locks, a.Lock, f)
		note(t.classes, s.sym.Class(a.Lock), f)
	}
}

// note adds a frame to what is known of one of several things.
func note[K comparable](all map[K]map[place][]int, of K, f format.Frame) {
	by := all[of]
	if by == nil {
		by = map[place][]int{}
		all[of] = by
	}
	lines := by[placeOf(f)]
	if at, found := slices.BinarySearch(lines, f.Line); !found {
		by[placeOf(f)] = slices.Insert(lines, at, f.Line)
	}
}

// lineOf returns the last of some lines, ascending, that is not behind another;
// the first if all are.
func lineOf(lines []int, line int) int {
	at, found := slices.BinarySearch(lines, line)
	if found {
		return line
	}
	return lines[max(at-1, 0)]
}
