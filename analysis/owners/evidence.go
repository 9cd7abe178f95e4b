package owners

import (
	"cmp"
	"slices"
	"sync"

	"contend/format"
)

// Symbols is what owners are inferred from besides events.
type Symbols interface {
	Described
	// Class returns a number for the class of a lock. Asking may give a class
	// its number, so nobody else may use the symbols meanwhile.
	Class(format.ObjectID) uint32
	// Fair reports whether who comes to a lock others wait for always waits, too.
	Fair(format.ObjectID) bool
}

// evidence is what the rebuilding of owners draws on, for a trace that
// recorded waits but not who held the locks. All of it may be read by several
// goroutines.
type evidence struct {
	*Activities
	sym   Described
	shown [][]sample // by lock, by time: what dumps show
	free  bool       // monitors that nobody owned among them
	class []uint32   // by lock
	fair  []bool     // by lock

	threadMarks, doerMarks sync.Pool // of marks, by thread and by doer
	gathered               sync.Pool // of lists of lockWaits

	taking   sync.Mutex
	takersOf map[uint32]*family           // by class; see takers
	ofClass  map[uint32][]format.ObjectID // its locks
	usuals   sync.Map                     // by thread; see usual

	times map[inputSite]*siteTimes // of call sites that many locks are asked about

	batches sync.Pool // of ownerships
	learnt  learnt    // of inputs before

	bursting sync.Once
	bursts   map[*input]*bursts

	asking   sync.Once
	mayLeave []bool // by doer; see interruptible

	unlinked []Unlinked
	distance int64 // of samples
	oneAsked int   // stretch in so many is asked about; see ask
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

// sample is an owner of a lock seen at an instant; NoThread means that the
// lock was seen free.
type sample struct {
	time   int64
	thread format.ThreadID
	stack  format.StackID
}

// evidence collects what is known of each thread and lock.
func (a *Activities) evidence(sym Symbols) *evidence {
	ev := &evidence{Activities: a, sym: sym, shown: make([][]sample, len(a.byLock)), learnt: learnt{}, takersOf: map[uint32]*family{}}
	ev.class, ev.fair = make([]uint32, len(a.byLock)), make([]bool, len(a.byLock))
	for l, waits := range a.byLock {
		if len(waits) > 0 {
			ev.class[l], ev.fair[l] = sym.Class(format.ObjectID(l)), sym.Fair(format.ObjectID(l))
		}
	}
	ev.link(sym.Class)
	return ev
}

// linkSlack is how long before a dump is written the threads may have stood
// as it shows them: it is taken at a safepoint and written after it.
const linkSlack = int64(20e6)

// link translates the locks of thread dumps, which are named by heap address,
// to those of waits, which are named by monitor address: a thread that waits
// in both, at the same time, for the same class, waits for the same lock.
func (ev *evidence) link(class func(format.ObjectID) uint32) {
	told := map[format.ObjectID]int64{} // when a dump last showed a lock
	for i := range ev.dumps {
		d := &ev.dumps[i]
		if d.lock == format.NoObject {
			ev.seesFree(d, told)
			ev.free = true
			continue
		}
		lock, at := ev.linked(d, class)
		known := lock != format.NoObject
		if !known || d.hangs {
			ev.unlinked = append(ev.unlinked, Unlinked{d.time, d.lock, d.owners, d.waiters, known})
		}
		if !known {
			continue
		}
		told[lock] = d.time
		if len(d.owners) == 0 {
			ev.shown[lock] = append(ev.shown[lock], sample{time: at})
		}
		for _, o := range d.owners {
			if o.Thread == format.NoThread { // it is nobody who is known
				continue
			}
			ev.shown[lock] = append(ev.shown[lock], ev.owner(o, lock, at))
		}
	}
	for _, s := range ev.shown {
		slices.SortStableFunc(s, func(a, b sample) int { return cmp.Compare(a.time, b.time) })
	}
}

// seesFree takes in threads that were seen to wait for monitors nobody owned: a
// JVM does not say which these are, their waits do. Where the same sample shows an
// owner, that one was given the lock just then.
func (ev *evidence) seesFree(d *dump, told map[format.ObjectID]int64) {
	for _, w := range d.waiters {
		list := ev.Of(w.Thread)
		i := ev.before(list, d.time+1) - 1
		if i < 0 {
			continue
		}
		wait := ev.at(list.at(i))
		if wait.end <= d.time || wait.lock == format.NoObject || ev.sym.Kind(wait.lock) != format.KindMonitor {
			continue
		}
		if at, ok := told[wait.lock]; !ok || at != d.time {
			told[wait.lock] = d.time
			ev.shown[wait.lock] = append(ev.shown[wait.lock], sample{time: d.time})
		}
	}
}

// linked returns the lock most of the waiters of a dump's lock wait for, and
// the instant at which they all did.
func (ev *evidence) linked(d *dump, class func(format.ObjectID) uint32) (lock format.ObjectID, at int64) {
	want := class(d.lock)
	like := func(l format.ObjectID) bool { return class(l) == want }
	votes, best, at := map[format.ObjectID]int{}, 0, d.time
	for _, w := range d.waiters {
		wait, ok := ev.waiting(w.Thread, d.time, like)
		if !ok {
			continue
		}
		votes[wait.lock]++
		if votes[wait.lock] > best {
			best, lock = votes[wait.lock], wait.lock
		}
		at = min(at, wait.end-1)
	}
	return lock, at
}

// owner returns what a dump shows of an owner. If it waits for the lock then, it has
// got it and does not run yet, since the threads stand still or no processor is free:
// that is the hand-off, as long as it stands where it waits. Where it stands
// elsewhere, it had gone on, or had not come yet, and the dump was taken just after
// that wait or just before.
func (ev *evidence) owner(o format.Party, lock format.ObjectID, at int64) sample {
	wait, ok := ev.waitFor(o.Thread, lock, at)
	if !ok {
		return sample{at, o.Thread, o.Stack}
	}
	after, before := wait.end-at, at-wait.start
	if o.Stack == format.NoStack || min(after, before) > linkSlack || ev.stands(o.Stack, wait.stack) {
		return sample{time: at}
	}
	if after <= before {
		return sample{wait.end, o.Thread, o.Stack}
	}
	return sample{wait.start - 1, o.Thread, o.Stack}
}

// stands reports whether a stack is that of a wait, of which outer frames may be missing.
func (ev *evidence) stands(stack, wait format.StackID) bool {
	if stack == wait {
		return true
	}
	at, in := ev.sym.Frames(stack), ev.sym.Frames(wait)
	return len(in) < len(at) && slices.Equal(at[:len(in)], in)
}

// waitFor returns the wait of a thread for a lock that covers an instant.
func (ev *evidence) waitFor(t format.ThreadID, lock format.ObjectID, at int64) (activity, bool) {
	list := ev.Of(t)
	for i := ev.before(list, at+1) - 1; i >= 0; i-- {
		d := ev.at(list.at(i))
		if d.lock == lock || d.end <= at {
			return d, d.lock == lock && d.end > at
		}
	}
	return activity{}, false
}

// waiting returns the last wait of a thread for a lock like the one asked for
// that began before t and had not ended linkSlack before it.
func (ev *evidence) waiting(t format.ThreadID, at int64, like func(format.ObjectID) bool) (activity, bool) {
	list := ev.Of(t)
	for i := ev.before(list, at+1) - 1; i >= 0; i-- {
		d := ev.at(list.at(i))
		if d.lock != format.NoObject && like(d.lock) && d.end > at-linkSlack {
			return d, true
		}
		if d.end <= at-linkSlack {
			break
		}
	}
	return activity{}, false
}
