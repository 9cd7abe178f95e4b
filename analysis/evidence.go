package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// evidence is what the rebuilding of owners draws on, for a trace that
// recorded waits but not who held the locks.
type evidence struct {
	r      *record
	sym    *Symbols
	doings *doings
	shown  [][]sighting // by lock, by time: what dumps show
	missed int          // dump entries that match no recorded wait
}

// sighting is an owner of a lock seen at an instant; NoThread means that the
// lock was seen free.
type sighting struct {
	time   int64
	thread format.ThreadID
	stack  format.StackID
}

// evidence collects what is known of each thread and lock.
func (r *record) evidence(sym *Symbols, byLock [][]ref) *evidence {
	ev := &evidence{r: r, sym: sym, doings: &r.doings, shown: make([][]sighting, len(byLock))}
	ev.link()
	return ev
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
	list := ev.doings.of(t)
	for i := ev.doings.before(list, at+1) - 1; i >= 0; i-- {
		d := ev.doings.at(list[i])
		if d.start < at-3600e9 {
			break
		}
		if d.lock != format.NoObject && ev.sym.Class(d.lock) == class && d.end > at-linkSlack {
			return d, true
		}
		if d.end <= at-linkSlack {
			break
		}
	}
	return doing{}, false
}
