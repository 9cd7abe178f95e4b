package owners

import (
	"math/bits"
	"slices"
	"sync"

	"contend/analysis/owners/model"
	"contend/format"
)

// Symbols describes stacks and locks. It is safe for concurrent use.
type Symbols interface {
	Kind(format.ObjectID) format.LockKind
	Frames(format.StackID) []format.Frame
	Bare(format.StackID) bool           // no frame is of the application
	Caller(format.StackID) format.Frame // the innermost frame of the application, the outermost frame of a bare stack
	// Application returns the frames from the innermost one of the application outwards.
	Application(format.StackID) []format.Frame
	Class(format.ObjectID) uint32 // a number for the class of the lock
	ClassName(format.ObjectID) string
}

// evidence is what owners are inferred from where the trace does not record holds. It
// implements model.Program; the methods that the model asks are in program.go.
type evidence struct {
	activities *Activities
	Symbols
	dumpsOf  [][]model.Dump // by lock, by time
	unlinked []Unlinked
	held     map[format.ObjectID]bool // locks that threads are recorded to have run in

	listing   sync.Mutex                   // of those below, which are made when they are first asked for
	threadsOf [][]format.ThreadID          // by input
	listed    map[uint32][]*model.Activity // by input: its activities, if they are listed
	byKey     []*gathered                  // scratch of list, by the number of a key
}

// Unlinked is a contended lock in a thread dump whose waiters have no recorded wait: they still
// waited when the recording ended, or such waits are not recorded.
type Unlinked struct {
	Time    int64
	Lock    format.ObjectID // as the dump names it
	Owners  []format.Party
	Waiters []format.Party
	Counted bool // its waiters are counted as waiting, by Unended
}

// function identifies a critical section by the function that acquires or releases the lock.
type function struct{ class, method string }

func (ev *evidence) function(stack format.StackID) function {
	f := ev.Caller(stack)
	return function{f.Class, f.Method}
}

// divide divides an ownership at the owner's activities inside the section. The stack of each
// part is the one with which the lock was acquired, or that of the activity if it shows more:
// if it continues the former. The beginning and the stack of an ownership by releases are those
// of a release: an activity that goes on after it was not inside, and any other shows more.
func (ev *evidence) divide(o Ownership, byReleases bool, give func(Ownership)) {
	if o.Owner.Kind == Thread {
		list := ev.activities.OfThread(o.Owner.Thread)
		list.From = list.nth(max(ev.activities.before(list, o.Start, list.From)-1, 0))
		for c := ev.activities.scanUntil(list, o.End); c.NextOther() && c.Start < o.End; {
			from := max(c.Start, o.Start)
			to := min(c.End, o.End)
			did := c.key()
			if from >= to || did.ran() || byReleases && c.End > o.End || !ev.inside(did.Stack, o.Owner.Stack) {
				continue
			}
			before, during := o, o
			if before.End = from; before.End > before.Start {
				give(before)
			}
			during.Start = from
			during.End = to
			during.Owner.Did = did.What()
			if byReleases && !ev.Bare(did.Stack) || ev.continues(did.Stack, o.Owner.Stack) {
				during.Owner.Stack = did.Stack
			}
			give(during)
			if o.Start = to; o.Start == o.End {
				return
			}
		}
	}
	give(o)
}

// continues reports whether a stack continues the call path that acquired the lock: it shows
// both where the lock was acquired and what the owner does.
func (ev *evidence) continues(stack, took format.StackID) bool {
	all, path := ev.Frames(stack), ev.Application(took)
	n := len(all) - len(path)
	return !ev.Bare(stack) && n > 0 && len(path) > 0 && slices.EqualFunc(all[n:], path, sameMethod)
}

// sameMethod compares frames without their lines, which differ between two instants.
func sameMethod(a, b format.Frame) bool { return a.Class == b.Class && a.Method == b.Method }

// inside reports whether a stack may be inside the section of a stack that acquired the lock: it
// has the acquiring method, or no frame of the application at all.
func (ev *evidence) inside(stack, took format.StackID) bool {
	acquires := ev.Caller(took)
	return ev.Bare(stack) ||
		slices.ContainsFunc(ev.Application(stack), func(f format.Frame) bool { return sameMethod(f, acquires) })
}

// batch is the largest number of ownerships that are passed on together.
const batch = 1 << 12

// batches passes on ownerships in batches.
type batches struct {
	list []Ownership
	give func([]Ownership)
}

func (b *batches) addOwnership(o Ownership) {
	if b.list = append(b.list, o); len(b.list) == batch {
		b.give(b.list)
		b.list = make([]Ownership, 0, batch)
	}
}

func (b *batches) flush() {
	if len(b.list) > 0 {
		b.give(b.list)
	}
}

// gathered is an activity and a sample of its intervals: those whose hashed start has at least
// zeros trailing zeros. So the sample does not depend on the order of threads.
type gathered struct {
	activity model.Activity
	zeros    int
}

// maxTimes is how many intervals of an activity are kept. There are up to twice as many while
// they are gathered.
const maxTimes = 1 << 10

func (x *gathered) addTime(t model.ThreadTime) {
	x.activity.Ns += t.When.End - t.When.Start
	if zeros(t.When.Start) < x.zeros {
		return
	}
	if x.activity.Times = append(x.activity.Times, t); len(x.activity.Times) > 2*maxTimes {
		x.zeros++
		finer := func(t model.ThreadTime) bool { return zeros(t.When.Start) < x.zeros }
		x.activity.Times = slices.DeleteFunc(x.activity.Times, finer)
	}
}

func zeros(at int64) int { return bits.TrailingZeros64(uint64(at) * 0x9e3779b97f4a7c15 >> 20) }
