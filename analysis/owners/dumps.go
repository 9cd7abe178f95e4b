package owners

import (
	"cmp"
	"slices"

	"contend/analysis/owners/model"
	"contend/format"
)

// link translates the locks of thread dumps, which are named by heap address,
// to those of waits, which are named by monitor address: a thread that waits
// in both, at the same time, for the same class, waits for the same lock.
func (ev *evidence) link(class func(format.ObjectID) uint32) {
	told := map[format.ObjectID]int64{} // when a dump last showed a lock
	for i := range ev.dumps {
		d := &ev.dumps[i]
		if d.lock == format.NoObject {
			ev.seesFree(d, told)
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
			ev.shown[lock] = append(ev.shown[lock], model.Dump{Time: at, Waiters: len(d.waiters)})
		}
		for _, o := range d.owners {
			if o.Thread == format.NoThread { // it is nobody who is known
				continue
			}
			s := ev.owner(o, lock, at)
			s.Waiters = len(d.waiters)
			if s.Owner != format.NoThread {
				s.Took = ev.tookWith(d.lock, o.Stack)
			}
			ev.shown[lock] = append(ev.shown[lock], s)
		}
	}
	for _, s := range ev.shown {
		slices.SortStableFunc(s, func(a, b model.Dump) int { return cmp.Compare(a.Time, b.Time) })
	}
}

// tookWith returns the stack with which the owner of a lock took it, of which the
// stack it is shown with goes on; NoStack where no dump tells, or the JDK alone goes on:
// then the stack says both where the lock was taken and what the owner does.
func (ev *evidence) tookWith(lock format.ObjectID, stack format.StackID) (best format.StackID) {
	at, most := ev.sym.Frames(stack), 0
	for _, t := range ev.took[lock] {
		of := ev.sym.Frames(t)
		if n := len(of); n > most && n <= len(at) && slices.EqualFunc(of, at[len(at)-n:], sameMethod) {
			best, most = t, n
		}
	}
	if !slices.ContainsFunc(at[:len(at)-most], func(f format.Frame) bool { return !format.OfJDK(f) }) {
		return format.NoStack
	}
	return best
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
			ev.shown[wait.lock] = append(ev.shown[wait.lock], model.Dump{Time: d.time, Waiters: 1})
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
func (ev *evidence) owner(o format.Party, lock format.ObjectID, at int64) model.Dump {
	wait, ok := ev.waitFor(o.Thread, lock, at)
	if !ok {
		return model.Dump{Time: at, Owner: o.Thread, Stack: o.Stack}
	}
	after, before := wait.end-at, at-wait.start
	if o.Stack == format.NoStack || min(after, before) > linkSlack || ev.stands(o.Stack, wait.stack) {
		return model.Dump{Time: at}
	}
	if after <= before {
		return model.Dump{Time: wait.end, Owner: o.Thread, Stack: o.Stack}
	}
	return model.Dump{Time: wait.start - 1, Owner: o.Thread, Stack: o.Stack}
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
