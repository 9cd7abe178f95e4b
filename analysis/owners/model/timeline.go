package model

import (
	"cmp"
	"slices"

	"contend/format"
)

// Doing is what a thread is known to do over [Start, End), or at Start alone.
type Doing struct {
	Start, End int64 // ns
	Stack      format.StackID
	Lock       format.ObjectID // waited for, or held; NoObject where neither is told
	What       What
}

// What says what kind of evidence a Doing is.
type What uint8

// The kinds. A thread that is away can hold the lock only if its stack is inside a section.
const (
	Waits  What = iota // for Lock
	Leaves             // Object.wait, which gives Lock back meanwhile
	Away               // it sleeps, parks, waits for I/O
	Sample             // seen to run, at an instant
	Holds              // the recording says that it holds Lock
)

// Wait is one wait for a lock.
type Wait struct {
	Start, End int64 // ns
	Thread     format.ThreadID
	Last       format.ThreadID // held the lock before it was got, NoThread where not told
	Stack      format.StackID
	user       int32 // the thread's number among the users of the lock
	Failed     bool  // it ended without the lock
	Shared     bool  // it asked for the lock together with others
}

// Dump is what a thread dump shows of a lock at an instant; no owner says that it
// was free.
type Dump struct {
	Time    int64
	Owner   format.ThreadID
	Stack   format.StackID // of the owner
	Took    format.StackID // with which it took the lock, NoStack where not told
	Waiters int
}

// Program is the recording that a model is learned from. Several goroutines may ask.
type Program interface {
	// Frames returns a stack, innermost frame first.
	Frames(format.StackID) []format.Frame
	// Application returns the frames of a stack from the innermost one on that does not
	// belong to the implementation of a lock.
	Application(format.StackID) []format.Frame
	// Doings appends what a thread did that overlaps [from, to), by start, waits for
	// all locks but one included. Nothing else begins from there to next, which is no
	// earlier than to.
	Doings(t format.ThreadID, but format.ObjectID, from, to int64, list []Doing) (_ []Doing, next int64)
	// Waits appends the waits for a lock, by start.
	Waits(lock format.ObjectID, to []Wait) []Wait
	// Deeds returns what threads did in the recording a lock is of, but for samples.
	Deeds(of format.ObjectID) []*Deed
	// Runs calls f with samples of running threads in time order.
	Runs(from, to int64, f func(t format.ThreadID, at int64, stack format.StackID))
}

// Deed is what threads did with one stack: some of the times they did.
type Deed struct {
	What  What
	Stack format.StackID
	Lock  format.ObjectID // that they waited for
	Idle  bool            // they parked or waited to be notified
	Times []Time          // by start
	Ns    int64           // all times together
}

// Time is when a thread did something.
type Time struct {
	Start, End int64
	Thread     format.ThreadID
}

// stretches are times that do not overlap, in order.
type stretches []Time

// union joins times that overlap.
func union(list []Time) (out stretches) {
	slices.SortFunc(list, func(a, b Time) int { return cmp.Compare(a.Start, b.Start) })
	for _, t := range list {
		if n := len(out); n > 0 && t.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, t.End)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// whenWaited returns when anybody waits.
func whenWaited(waits []Wait) stretches {
	list := make([]Time, len(waits))
	for i := range waits {
		list[i] = Time{Start: waits[i].Start, End: waits[i].End}
	}
	return union(list)
}

// in returns how much of [from, to) they are.
func (s stretches) in(from, to int64) (ns int64) {
	i, _ := slices.BinarySearchFunc(s, from, func(t Time, at int64) int { return cmp.Compare(t.End, at+1) })
	for ; i < len(s) && s[i].Start < to; i++ {
		ns += min(to, s[i].End) - max(from, s[i].Start)
	}
	return ns
}

// at reports whether an instant is in one.
func (s stretches) at(t int64) bool { return s.in(t, t+1) > 0 }

// anchored returns the place of the frame that takes the lock: the innermost one of
// a synchronized section, else the innermost one that is not of the lock itself.
func (c *Class) anchored(stack format.StackID) (frames []format.Frame, at int, ok bool) {
	frames = c.program.Frames(stack)
	if !c.Block {
		at = len(frames) - len(c.program.Application(stack))
	}
	return frames, at, at < len(frames)
}

// path is a stack by what tells it from others: its methods, since lines move, and
// successive calls of one method as one.
type path struct {
	method []uint64 // innermost first
	suffix []uint64 // of the frame at the same place and all callers
	frame  []int    // its place in the stack, the outermost of a recursion
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashed(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

func methodOf(f *format.Frame) uint64 { return hashed(hashed(hashSeed, f.Class)*hashPrime, f.Method) }

// set makes it that of a stack, from the frame at a place outwards.
func (p *path) set(frames []format.Frame, at int) {
	p.method, p.suffix, p.frame = p.method[:0], p.suffix[:0], p.frame[:0]
	for i := at; i < len(frames); i++ {
		m := methodOf(&frames[i])
		if n := len(p.method); n > 0 && p.method[n-1] == m {
			p.frame[n-1] = i
			continue
		}
		p.method, p.frame = append(p.method, m), append(p.frame, i)
	}
	p.suffix = append(p.suffix, p.method...)
	h := uint64(hashSeed)
	for i := len(p.method) - 1; i >= 0; i-- {
		h = (h ^ p.method[i]) * hashPrime
		h ^= h >> 29
		p.suffix[i] = h
	}
}
