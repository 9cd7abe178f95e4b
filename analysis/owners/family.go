package owners

import (
	"hash/maphash"
	"math/bits"

	"contend/format"
)

// Described is the part of Symbols that may be read by several goroutines.
type Described interface {
	Kind(format.ObjectID) format.LockKind
	Frames(format.StackID) []format.Frame
	Bare(format.StackID) bool           // no frame is of the application
	Caller(format.StackID) format.Frame // the innermost frame that is; of a bare stack its outermost
	// Application returns the frames of a stack from the innermost one of the
	// application on, outwards.
	Application(format.StackID) []format.Frame
	Group(format.ThreadID) uint32 // a number for threads that bear one name but for digits
}

// family tells the stacks of samples apart by which section of some locks they
// are of.
type family struct {
	sym     Described
	callers map[uint64]bool  // of the methods that take the locks
	methods map[uint64]entry // such a method and its callers: where it takes a lock
	memo    map[format.StackID]part
	fixed   bool // several goroutines may ask
}

// entry is where in a method a lock is taken.
type entry struct {
	site int
	line int // the first one, 0 if it is not known
}

// part is where in the program a sample is, as far as some locks are concerned.
type part struct {
	key  uint64 // 0 when it has nothing in common with any section
	site int    // call site of an acquisition, -1 for none that is known
}

var seed = maphash.MakeSeed()

// Hashes of no frames, and of what is before a section.
const (
	outermost = 1
	before    = 2
)

func chained(outer uint64, f *format.Frame, line bool) uint64 {
	h := mixed(outer, maphash.String(seed, f.Class))
	h = mixed(h, maphash.String(seed, f.Method))
	if line {
		h = mixed(h, uint64(f.Line)+1)
	}
	return h
}

// mixed makes one hash of two, whose order matters.
func mixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xc2b2ae3d27d4eb4f)
	return hi ^ lo ^ a
}

// anySite is the number of call sites that need not be told apart.
func anySite(format.StackID) int { return 0 }

// newFamily learns the call sites of some locks, of which site gives the number.
func newFamily(sym Described, stacks []format.StackID, site func(format.StackID) int) *family {
	f := &family{sym: sym, callers: map[uint64]bool{}, methods: map[uint64]entry{}, memo: map[format.StackID]part{}}
	for _, st := range stacks {
		frames := sym.Application(st)
		outer := uint64(outermost)
		for i := len(frames) - 1; i >= 0; i-- {
			if i == 0 {
				f.enter(chained(outer, &frames[0], false), entry{site(st), frames[0].Line})
				break
			}
			outer = chained(outer, &frames[i], true)
			f.callers[outer] = true
		}
	}
	return f
}

// enter notes that a method takes a lock.
func (f *family) enter(method uint64, at entry) {
	if known, ok := f.methods[method]; ok {
		at.line = min(at.line, known.line)
	}
	f.methods[method] = at
}

// in returns the part of the program that a line of a method is, if the method takes a
// lock: what it does in lines before that is not inside.
func (f *family) in(method uint64, line int) (p part, takes bool) {
	at, takes := f.methods[method]
	if takes && line > 0 && line < at.line {
		return part{mixed(method, before), -1}, true
	}
	return part{method, at.site}, takes
}

// takes reports whether a stack ends at a line that takes the lock.
func (f *family) takes(st format.StackID) bool {
	if f.of(st).site < 0 {
		return false
	}
	frames, outer := f.sym.Application(st), uint64(outermost)
	for i := len(frames) - 1; i > 0; i-- {
		outer = chained(outer, &frames[i], true)
	}
	at, ok := f.methods[chained(outer, &frames[0], false)]
	return ok && frames[0].Line == at.line
}

// of returns the part of the program a sample's stack is in: inside the method
// of a call site, else in whatever else the callers of such methods call.
func (f *family) of(st format.StackID) part {
	if p, ok := f.memo[st]; ok {
		return p
	}
	p := part{site: -1}
	frames := f.sym.Application(st)
	outer := uint64(outermost)
	for i := len(frames) - 1; i >= 0; i-- {
		key := chained(outer, &frames[i], false)
		if in, ok := f.in(key, frames[i].Line); ok {
			p = in
			break
		}
		p.key = key
		outer = chained(outer, &frames[i], true)
		if !f.callers[outer] { // nor does it lead to any of the methods
			break
		}
	}
	if !f.fixed {
		f.memo[st] = p
	}
	return p
}
