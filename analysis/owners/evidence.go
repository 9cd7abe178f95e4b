package owners

import (
	"slices"
	"sync"

	"contend/analysis/owners/model"
	"contend/format"
)

// Symbols is what owners are inferred from besides events. But for Class, several
// goroutines may ask.
type Symbols interface {
	Kind(format.ObjectID) format.LockKind
	Frames(format.StackID) []format.Frame
	Bare(format.StackID) bool           // no frame is of the application
	Caller(format.StackID) format.Frame // the innermost frame that is; of a bare stack its outermost
	// Application returns the frames of a stack from the innermost one of the
	// application on, outwards.
	Application(format.StackID) []format.Frame
	// Class returns a number for the class of a lock. Asking may give a class
	// its number, so nobody else may use the symbols meanwhile.
	Class(format.ObjectID) uint32
}

// evidence is what owners are inferred from, for a trace that recorded waits but not
// who held the locks. It is a model.Program.
type evidence struct {
	*Activities
	sym      Symbols
	shown    [][]model.Dump // by lock, by time
	class    []uint32       // by lock
	unlinked []Unlinked

	listing sync.Once
	deeds   map[uint32][]*model.Activity // by input
}

// Unlinked is a contended lock in a thread dump whose waiters no recorded wait
// knows: they still waited when the recording ended, or their waits are not
// recorded.
type Unlinked struct {
	Time    int64
	Lock    format.ObjectID // as the dump names it
	Owners  []format.Party
	Waiters []format.Party
	Counted bool // its waiters hang, and count as waiting, for as long as samples show them
}

// function is a critical section as far as its length goes: the function that
// takes the lock or gives it back.
type function struct{ class, method string }

// function names the section a stack belongs to.
func (ev *evidence) function(stack format.StackID) function {
	f := ev.sym.Caller(stack)
	return function{f.Class, f.Method}
}

// byDoing divides an ownership by what the owner is recorded to do in it on the path of the
// section: an activity whose stack has the method that took the lock, or no frame of the
// application at all. The stack stays that with which the lock was taken, unless that of the
// activity goes on from there.
func (ev *evidence) byDoing(o Ownership, give func(Ownership)) {
	if o.Holder.Kind == Thread {
		list := ev.Of(o.Holder.Thread)
		list.From = list.at(max(ev.before(list, o.Start)-1, 0))
		for c := ev.Scan(list); c.NextOther() && c.Start < o.End; {
			from, to, did := max(c.Start, o.Start), min(c.End, o.End), c.deed()
			if from >= to || did.ran() || !ev.inside(did.stack, o.Holder.Stack) {
				continue
			}
			before, during := o, o
			if before.End = from; before.End > before.Start {
				give(before)
			}
			during.Start, during.End, during.Holder.Did = from, to, did.does()
			if ev.goesOn(did.stack, o.Holder.Stack) {
				during.Holder.Stack = did.stack
			}
			give(during)
			if o.Start = to; o.Start == o.End {
				return
			}
		}
	}
	give(o)
}

// goesOn reports whether a stack goes on from the very call that another takes the lock in: it
// says where the lock was taken as well, and what the owner does besides.
func (ev *evidence) goesOn(stack, took format.StackID) bool {
	all, path := ev.sym.Frames(stack), ev.sym.Application(took)
	n := len(all) - len(path)
	return !ev.sym.Bare(stack) && n > 0 && len(path) > 0 && slices.EqualFunc(all[n:], path, sameMethod)
}

// sameMethod compares frames but for their lines, which are those of another instant.
func sameMethod(a, b format.Frame) bool { return a.Class == b.Class && a.Method == b.Method }

// inside reports whether a stack may be of the section that another takes the lock of.
func (ev *evidence) inside(stack, took format.StackID) bool {
	fn := ev.function(took)
	return ev.sym.Bare(stack) || slices.ContainsFunc(ev.sym.Application(stack), func(f format.Frame) bool { return f.Class == fn.class && f.Method == fn.method })
}
