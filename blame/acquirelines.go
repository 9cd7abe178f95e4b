package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// acquireLines are the lines of each method at which locks were seen acquired and released, by
// lock and by class of lock. There may be a million locks: a map for each would take half a
// kilobyte.
type acquireLines struct {
	acquisitionsRead int // the number of the trace's acquisitions that were read
	releasesRead     int
	methods          map[method]uint32
	lines            map[useKey][]int32 // ascending
	stacks           map[analysis.Acquisition]bool
	firstStack       ByID[format.StackID] // by lock: the stack of its first acquisition
}

// method identifies a method of the program.
type method struct{ class, name string }

// useKey is what a method does with a lock, or with a class of locks.
type useKey struct {
	what       use
	of, method uint32
}

// use is an action of a line of a method.
type use uint8

const (
	acquires      use = iota // this lock
	releases                 // this lock
	acquiresClass            // a lock of this class
)

func methodOf(f format.Frame) method { return method{f.Class, f.Method} }

func newAcquireLines() acquireLines {
	return acquireLines{
		methods: map[method]uint32{},
		lines:   map[useKey][]int32{},
		stacks:  map[analysis.Acquisition]bool{},
	}
}

// linesOf returns the lines at which the method of a frame has a use.
func (t *acquireLines) linesOf(what use, of uint32, f format.Frame) []int32 {
	method, known := t.methods[methodOf(f)]
	if !known {
		return nil
	}
	return t.lines[useKey{what, of, method}]
}

// recordLine adds the line of a frame.
func (t *acquireLines) recordLine(what use, of uint32, f format.Frame) {
	method, known := t.methods[methodOf(f)]
	if !known {
		method = uint32(len(t.methods))
		t.methods[methodOf(f)] = method
	}
	key := useKey{what, of, method}
	if at, found := slices.BinarySearch(t.lines[key], int32(f.Line)); !found {
		t.lines[key] = slices.Insert(t.lines[key], at, int32(f.Line))
	}
}

// learn adds the new acquisitions and releases of the trace.
func (s *Sites) learn() {
	t := &s.lines
	for _, a := range s.sym.Acquisitions()[t.acquisitionsRead:] {
		t.stacks[a] = true
		if f, ok := s.ownFrame(a.Stack); ok {
			if first := t.firstStack.Entry(int(a.Lock)); *first == format.NoStack {
				*first = a.Stack
			}
			t.recordLine(acquires, uint32(a.Lock), f)
			t.recordLine(acquiresClass, s.sym.Class(a.Lock), f)
		}
	}
	for _, a := range s.sym.Releases()[t.releasesRead:] {
		if f, ok := s.ownFrame(a.Stack); ok {
			t.recordLine(releases, uint32(a.Lock), f)
		}
	}
	t.acquisitionsRead, t.releasesRead = len(s.sym.Acquisitions()), len(s.sym.Releases())
}

// ownFrame returns the innermost frame of the program's own code in a stack.
func (s *Sites) ownFrame(id format.StackID) (f format.Frame, ok bool) {
	m := s.stack(id)
	if m.own < 0 {
		return f, false
	}
	return s.sym.Frames(id)[m.own], true
}

// lastAtOrBefore returns the last of some lines, ascending, that is not after another; the
// first if all are.
func lastAtOrBefore(lines []int32, line int) int {
	at, found := slices.BinarySearch(lines, int32(line))
	if found {
		return line
	}
	return int(lines[max(at-1, 0)])
}

// firstAtOrAfter returns the first of some lines, ascending, that is not before another; the
// last if all are.
func firstAtOrAfter(lines []int32, line int) int {
	at, _ := slices.BinarySearch(lines, int32(line))
	return int(lines[min(at, len(lines)-1)])
}
