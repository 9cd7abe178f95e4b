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
	callers map[uint64]bool // of the methods that take the locks
	methods map[uint64]int  // such a method and its callers: its call site
	memo    map[format.StackID]part
	fixed   bool // several goroutines may ask
}

// part is where in the program a sample is, as far as some locks are concerned.
type part struct {
	key  uint64 // 0 when it has nothing in common with any section
	site int    // call site of an acquisition, -1 for none that is known
}

var seed = maphash.MakeSeed()

// outermost is the hash of no frames.
const outermost = 1

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
	f := &family{sym: sym, callers: map[uint64]bool{}, methods: map[uint64]int{}, memo: map[format.StackID]part{}}
	for _, st := range stacks {
		frames := sym.Application(st)
		outer := uint64(outermost)
		for i := len(frames) - 1; i >= 0; i-- {
			if i == 0 {
				f.methods[chained(outer, &frames[0], false)] = site(st)
				break
			}
			outer = chained(outer, &frames[i], true)
			f.callers[outer] = true
		}
	}
	return f
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
		if site, ok := f.methods[key]; ok {
			p = part{key, site}
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
