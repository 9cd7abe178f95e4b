package sites

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// taken is where locks were seen taken: by lock, and by class of lock, the
// methods with their lines. There may be a million locks: a map for each would
// take half a kilobyte.
type taken struct {
	next    int // of the trace's acquisitions: how many are in here
	places  map[place]uint32
	locks   map[takenAt][]int32 // lines, ascending
	classes map[takenAt][]int32
	stacks  map[analysis.Acquisition]bool
}

// place is a method.
type place struct{ class, method string }

// takenAt is a lock, or a class of locks, and the number of a method.
type takenAt struct{ of, place uint32 }

func placeOf(f format.Frame) place { return place{f.Class, f.Method} }

func newTaken() taken {
	return taken{places: map[place]uint32{}, locks: map[takenAt][]int32{}, classes: map[takenAt][]int32{}, stacks: map[analysis.Acquisition]bool{}}
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
		at := t.number(f)
		note(t.locks, takenAt{uint32(a.Lock), at}, f.Line)
		note(t.classes, takenAt{s.sym.Class(a.Lock), at}, f.Line)
	}
}

// note adds a line to those that are known.
func note(all map[takenAt][]int32, of takenAt, line int) {
	lines := all[of]
	if at, found := slices.BinarySearch(lines, int32(line)); !found {
		all[of] = slices.Insert(lines, at, int32(line))
	}
}

// lineOf returns the last of some lines, ascending, that is not behind another;
// the first if all are.
func lineOf(lines []int32, line int) int {
	at, found := slices.BinarySearch(lines, int32(line))
	if found {
		return line
	}
	return int(lines[max(at-1, 0)])
}
