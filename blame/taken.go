package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// taken is where locks were seen taken, and given back: by lock, and by class of
// lock, the methods with their lines. There may be a million locks: a map for each
// would take half a kilobyte.
type taken struct {
	next    int // of the trace's acquisitions: how many are in here
	back    int // and of its releases
	places  map[place]uint32
	locks   map[takenAt][]int32 // lines, ascending
	classes map[takenAt][]int32
	given   map[takenAt][]int32 // where locks are given back
	stacks  map[analysis.Acquisition]bool
	first   []format.StackID // by lock: with which it was seen acquired first
}

// place is a method.
type place struct{ class, method string }

// takenAt is a lock, or a class of locks, and the number of a method.
type takenAt struct{ of, place uint32 }

func placeOf(f format.Frame) place { return place{f.Class, f.Method} }

func newTaken() taken {
	return taken{places: map[place]uint32{}, locks: map[takenAt][]int32{}, classes: map[takenAt][]int32{}, given: map[takenAt][]int32{}, stacks: map[analysis.Acquisition]bool{}}
}

// number returns the number of a frame's method, a new one if it was not met.
func (t *taken) number(f format.Frame) uint32 {
	n, ok := t.places[placeOf(f)]
	if !ok {
		n = uint32(len(t.places))
		t.places[placeOf(f)] = n
	}
	return n
}

// with reports whether a stack is one with which a lock was taken.
func (t *taken) with(a analysis.Acquisition) bool { return t.stacks[a] }

// learn takes the acquisitions and releases of the trace that are new.
func (s *Sites) learn() {
	t := &s.taken
	for _, a := range s.sym.Acquisitions()[t.next:] {
		t.stacks[a] = true
		if f, ok := s.ownFrame(a.Stack); ok {
			at := t.number(f)
			for len(t.first) <= int(a.Lock) {
				t.first = append(t.first, format.NoStack)
			}
			if t.first[a.Lock] == format.NoStack {
				t.first[a.Lock] = a.Stack
			}
			note(t.locks, takenAt{uint32(a.Lock), at}, f.Line)
			note(t.classes, takenAt{s.sym.Class(a.Lock), at}, f.Line)
		}
	}
	for _, a := range s.sym.Releases()[t.back:] {
		if f, ok := s.ownFrame(a.Stack); ok {
			note(t.given, takenAt{uint32(a.Lock), t.number(f)}, f.Line)
		}
	}
	t.next, t.back = len(s.sym.Acquisitions()), len(s.sym.Releases())
}

// ownFrame returns the innermost frame of the program's own code in a stack.
func (s *Sites) ownFrame(id format.StackID) (f format.Frame, ok bool) {
	m := s.stack(id)
	if m.own < 0 {
		return f, false
	}
	return s.sym.Frames(id)[m.own], true
}

// note adds a line to those that are known.
func note(all map[takenAt][]int32, of takenAt, line int) {
	lines := all[of]
	if at, found := slices.BinarySearch(lines, int32(line)); !found {
		all[of] = slices.Insert(lines, at, int32(line))
	}
}

// before returns the last of some lines, ascending, that is not behind another;
// the first if all are.
func before(lines []int32, line int) int {
	at, found := slices.BinarySearch(lines, int32(line))
	if found {
		return line
	}
	return int(lines[max(at-1, 0)])
}

// behind returns the first of some lines, ascending, that is not before another; the
// last if all are.
func behind(lines []int32, line int) int {
	at, _ := slices.BinarySearch(lines, int32(line))
	return int(lines[min(at, len(lines)-1)])
}
