package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// taken is where locks were seen acquired, and released: the lines of each method, by lock
// and by class of lock. There may be a million locks: a map for each would take half a
// kilobyte.
type taken struct {
	next   int // of the trace's acquisitions: how many are in here
	back   int // and of its releases
	places map[place]uint32
	lines  map[takenAt][]int32 // ascending
	stacks map[analysis.Acquisition]bool
	first  ByID[format.StackID] // by lock: with which it was seen acquired first
}

// place is a method.
type place struct{ class, method string }

// takenAt is what was seen of a lock, or a class of locks, in a method, by its number.
type takenAt struct {
	what      seen
	of, place uint32
}

// seen is what a line of a method was seen to do.
type seen uint8

const (
	acquires      seen = iota // this lock
	releases                  // this lock
	acquiresClass             // a lock of this class
)

func placeOf(f format.Frame) place { return place{f.Class, f.Method} }

func newTaken() taken {
	return taken{places: map[place]uint32{}, lines: map[takenAt][]int32{}, stacks: map[analysis.Acquisition]bool{}}
}

// linesOf returns the lines at which a frame's method was seen to do something.
func (t *taken) linesOf(what seen, of uint32, f format.Frame) []int32 {
	method, known := t.places[placeOf(f)]
	if !known {
		return nil
	}
	return t.lines[takenAt{what, of, method}]
}

// note adds the line of a frame.
func (t *taken) note(what seen, of uint32, f format.Frame) {
	method, known := t.places[placeOf(f)]
	if !known {
		method = uint32(len(t.places))
		t.places[placeOf(f)] = method
	}
	key := takenAt{what, of, method}
	if at, found := slices.BinarySearch(t.lines[key], int32(f.Line)); !found {
		t.lines[key] = slices.Insert(t.lines[key], at, int32(f.Line))
	}
}

// learn takes the acquisitions and releases of the trace that are new.
func (s *Sites) learn() {
	t := &s.taken
	for _, a := range s.sym.Acquisitions()[t.next:] {
		t.stacks[a] = true
		if f, ok := s.ownFrame(a.Stack); ok {
			if first := t.first.At(int(a.Lock)); *first == format.NoStack {
				*first = a.Stack
			}
			t.note(acquires, uint32(a.Lock), f)
			t.note(acquiresClass, s.sym.Class(a.Lock), f)
		}
	}
	for _, a := range s.sym.Releases()[t.back:] {
		if f, ok := s.ownFrame(a.Stack); ok {
			t.note(releases, uint32(a.Lock), f)
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
