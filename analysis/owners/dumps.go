package owners

import (
	"cmp"
	"slices"

	"contend/analysis/owners/model"
	"contend/format"
)

// link finds the locks of thread dumps among those of waits. Dumps name a lock by its heap
// address, waits by the address of its monitor. A thread that waits in both, at the same time, for
// a lock of the same class, waits for the same lock.
func (ev *evidence) link() {
	last := map[format.ObjectID]int64{} // by lock: the time of the last dump that shows it
	for i := range ev.activities.record.dumps {
		d := &ev.activities.record.dumps[i]
		if d.lock == format.NoObject {
			ev.addFree(d, last)
			continue
		}
		lock, at := ev.linked(d)
		known := lock != format.NoObject
		if !known || d.unended {
			ev.unlinked = append(ev.unlinked, Unlinked{d.time, d.lock, d.owners, d.waiters, known})
		}
		if !known {
			continue
		}
		last[lock] = d.time
		if len(d.owners) == 0 {
			ev.dumpsOf[lock] = append(ev.dumpsOf[lock], model.Dump{Time: at, Waiters: len(d.waiters)})
		}
		for _, o := range d.owners {
			if o.Thread == format.NoThread {
				continue
			}
			s := ev.owner(o, lock, at)
			s.Waiters = len(d.waiters)
			if s.Owner != format.NoThread &&
				ev.Kind(lock) == format.KindMonitor { // of others the agent tells which method takes any lock
				s.Took = ev.tookWith(d.lock, o.Stack)
			}
			ev.dumpsOf[lock] = append(ev.dumpsOf[lock], s)
		}
	}
	for _, s := range ev.dumpsOf {
		slices.SortStableFunc(s, func(a, b model.Dump) int { return cmp.Compare(a.Time, b.Time) })
	}
}

// tookWith returns the stack with which the owner of a lock acquired it, given a stack that
// continues it. It returns NoStack if none is known, or if all further frames are of the JDK:
// then the given stack shows both where the lock was acquired and what the owner does.
func (ev *evidence) tookWith(lock format.ObjectID, stack format.StackID) (best format.StackID) {
	at, most := ev.Frames(stack), 0
	for _, t := range ev.activities.record.acquireStacks[lock] {
		of := ev.Frames(t)
		if n := len(of); n > most && n <= len(at) && slices.EqualFunc(of, at[len(at)-n:], sameMethod) {
			best, most = t, n
		}
	}
	if !slices.ContainsFunc(at[:len(at)-most], func(f format.Frame) bool { return !format.OfJDK(f) }) {
		return format.NoStack
	}
	return best
}

// addFree adds that monitors are free. A sample shows their waiters without naming the monitors,
// but the recorded waits name them. If the same sample shows an owner of one, it was acquired
// just then.
func (ev *evidence) addFree(d *dump, last map[format.ObjectID]int64) {
	for _, w := range d.waiters {
		list := ev.activities.OfThread(w.Thread)
		i := ev.activities.before(list, d.time+1, list.From) - 1
		if i < 0 {
			continue
		}
		wait := ev.activities.Activity(list.nth(i))
		if wait.End <= d.time || wait.Lock == format.NoObject || ev.Kind(wait.Lock) != format.KindMonitor {
			continue
		}
		if at, ok := last[wait.Lock]; !ok || at != d.time {
			last[wait.Lock] = d.time
			ev.dumpsOf[wait.Lock] = append(ev.dumpsOf[wait.Lock], model.Dump{Time: d.time, Waiters: 1})
		}
	}
}

// linked returns the lock that most waiters of a dump's lock wait for, and an instant at which
// all waiters of that lock do.
func (ev *evidence) linked(d *dump) (lock format.ObjectID, at int64) {
	want := ev.Class(d.lock)
	like := func(l format.ObjectID) bool { return ev.Class(l) == want }
	votes := map[format.ObjectID]int{}
	best := 0
	ends := map[format.ObjectID]int64{}
	for _, w := range d.waiters {
		wait, ok := ev.waitAt(w.Thread, d.time, linkSlack, like)
		if !ok {
			continue
		}
		if votes[wait.Lock]++; votes[wait.Lock] == 1 {
			ends[wait.Lock] = wait.End
		}
		ends[wait.Lock] = min(ends[wait.Lock], wait.End)
		if votes[wait.Lock] > best {
			best, lock = votes[wait.Lock], wait.Lock
		}
	}
	return lock, min(d.time, ends[lock]-1)
}

// owner returns what a dump shows of an owner. If a wait of the owner for the lock covers the
// instant, the owner was granted the lock and does not run yet: this is a hand-off, provided that
// its stack is that of the wait. If it is another one, the dump was taken just before the wait
// or just after it.
func (ev *evidence) owner(o format.Party, lock format.ObjectID, at int64) model.Dump {
	wait, ok := ev.waitAt(o.Thread, at, 0, func(l format.ObjectID) bool { return l == lock })
	if !ok {
		return model.Dump{Time: at, Owner: o.Thread, Stack: o.Stack}
	}
	after, before := wait.End-at, at-wait.Start
	if o.Stack == format.NoStack || min(after, before) > linkSlack || ev.stands(o.Stack, wait.Stack) {
		return model.Dump{Time: at}
	}
	if after <= before {
		return model.Dump{Time: wait.End, Owner: o.Thread, Stack: o.Stack}
	}
	return model.Dump{Time: wait.Start - 1, Owner: o.Thread, Stack: o.Stack}
}

// stands reports whether a stack is that of a wait, whose outer frames may be missing.
func (ev *evidence) stands(stack, wait format.StackID) bool {
	if stack == wait {
		return true
	}
	at, in := ev.Frames(stack), ev.Frames(wait)
	return len(in) < len(at) && slices.Equal(at[:len(in)], in)
}

// waitAt returns the last wait of a thread, for a lock that like accepts, that began at an
// instant or before and had not ended slack before it.
func (ev *evidence) waitAt(t format.ThreadID, at, slack int64, like func(format.ObjectID) bool) (Activity, bool) {
	list := ev.activities.OfThread(t)
	for i := ev.activities.before(list, at+1, list.From) - 1; i >= 0; i-- {
		d := ev.activities.Activity(list.nth(i))
		if d.Lock != format.NoObject && like(d.Lock) && d.End > at-slack {
			return d, true
		}
		if d.End <= at-slack {
			break
		}
	}
	return Activity{}, false
}
