package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// evidence is what the rebuilding of owners draws on, for a trace that
// recorded waits but not who held the locks.
type evidence struct {
	r       *record
	sym     *Symbols
	doings  [][]doing          // by thread, by start: everything the thread was seen doing
	byPlace map[place][]uint64 // doings at one place of the program, as thread<<32|index
	shown   [][]sighting       // by lock, by time: what dumps show
	missed  int                // dump entries that match no recorded wait
}

// doing is a stretch (or, for a sample, an instant) in which a thread's stack
// is known.
type doing struct {
	start, end int64
	stack      format.StackID
	lock       format.ObjectID // the lock it waited for, NoObject for other doings
}

// place is a point of the program: a stack and, since one line may enter
// several locks, what was waited for there.
type place struct {
	stack format.StackID
	lock  format.ObjectID
}

func (d *doing) place() place { return place{d.stack, d.lock} }

// sighting is an owner of a lock seen at an instant; NoThread means that the
// lock was seen free.
type sighting struct {
	time   int64
	thread format.ThreadID
	stack  format.StackID
}

// evidence collects what is known of each thread and lock.
func (r *record) evidence(sym *Symbols, byLock [][]uint32) *evidence {
	ev := &evidence{r: r, sym: sym, shown: make([][]sighting, len(byLock))}
	for i := range r.waits {
		w := &r.waits[i]
		ev.did(w.thread, doing{w.start, w.end, w.stack, w.lock})
	}
	for i := range r.activities {
		if a := &r.activities[i]; a.what != format.ActivityLive {
			ev.did(a.thread, doing{a.start, a.end, a.stack, format.NoObject})
		}
	}
	for _, d := range ev.doings {
		slices.SortFunc(d, func(a, b doing) int { return cmp.Compare(a.start, b.start) })
	}
	ev.byPlace = make(map[place][]uint64)
	for t, list := range ev.doings {
		for i, d := range list {
			if d.stack != format.NoStack && d.end > d.start {
				ev.byPlace[d.place()] = append(ev.byPlace[d.place()], uint64(t)<<32|uint64(i))
			}
		}
	}
	ev.link()
	return ev
}

func (ev *evidence) did(t format.ThreadID, d doing) {
	for len(ev.doings) <= int(t) {
		ev.doings = append(ev.doings, nil)
	}
	ev.doings[t] = append(ev.doings[t], d)
}

// of returns what a thread did, by start.
func (ev *evidence) of(t format.ThreadID) []doing {
	if int(t) < len(ev.doings) {
		return ev.doings[t]
	}
	return nil
}

// within returns the doings of a thread that begin in [lo, hi), and the index
// of the first.
func within(list []doing, lo, hi int64) []doing {
	from, _ := slices.BinarySearchFunc(list, lo, func(d doing, t int64) int { return cmp.Compare(d.start, t) })
	to, _ := slices.BinarySearchFunc(list[from:], hi, func(d doing, t int64) int { return cmp.Compare(d.start, t) })
	return list[from : from+to]
}

// linkSlack is how long before a dump is written the threads may have stood
// as it shows them: it is taken at a safepoint and written after it.
const linkSlack = int64(20e6)

// link translates the locks of thread dumps, which are named by heap address,
// to those of waits, which are named by monitor address: a thread that waits
// in both, at the same time, for the same class, waits for the same lock.
func (ev *evidence) link() {
	for i := range ev.r.instants {
		in := &ev.r.instants[i]
		lock, at := ev.linked(in)
		if lock == format.NoObject {
			ev.missed++
			continue
		}
		if len(in.owners) == 0 {
			ev.shown[lock] = append(ev.shown[lock], sighting{time: at})
		}
		for _, o := range in.owners {
			ev.shown[lock] = append(ev.shown[lock], sighting{at, o.Thread, o.Stack})
		}
	}
	for _, s := range ev.shown {
		slices.SortStableFunc(s, func(a, b sighting) int { return cmp.Compare(a.time, b.time) })
	}
}

// linked returns the lock most of the waiters of a dump's lock wait for, and
// the instant at which they all did.
func (ev *evidence) linked(in *instant) (lock format.ObjectID, at int64) {
	class := ev.sym.Class(in.lock)
	votes, best, at := map[format.ObjectID]int{}, 0, in.time
	for _, w := range in.waiters {
		d, ok := ev.waiting(w.Thread, in.time, class)
		if !ok {
			continue
		}
		votes[d.lock]++
		if votes[d.lock] > best {
			best, lock = votes[d.lock], d.lock
		}
		at = min(at, d.end-1)
	}
	return lock, at
}

// waiting returns the last wait of a thread for a lock of a class that began
// before t and had not ended linkSlack before it.
func (ev *evidence) waiting(t format.ThreadID, at int64, class uint32) (doing, bool) {
	list := ev.of(t)
	i, _ := slices.BinarySearchFunc(list, at+1, func(d doing, t int64) int { return cmp.Compare(d.start, t) })
	for i--; i >= 0 && list[i].start >= at-3600e9; i-- {
		d := list[i]
		if d.lock != format.NoObject && ev.sym.Class(d.lock) == class && d.end > at-linkSlack {
			return d, true
		}
		if d.end <= at-linkSlack {
			break
		}
	}
	return doing{}, false
}
