package jfr

import (
	"contend/decode/threaddump"
	"contend/format"
)

// ShowVirtual takes a thread dump of the same JVM, once the recording itself has been read:
// a sample of the virtual threads that wait, of whose waits the recording has no event. It
// stands for the time since the dump before. What comes of it is given by Next.
func (r *Reader) ShowVirtual(d *threaddump.Dump) {
	all := &r.ids.virtual
	since := d.Time - all.lastSampled
	if d.Time == format.NoTime || all.sampled > 0 && since <= 0 {
		return
	}
	all.ran, all.sampled, all.lastSampled = true, all.sampled+1, d.Time
	if all.sampled == 1 {
		return // nothing tells for how long it was so
	}
	var order []*dumpedLock
	locks := dumpedLocks{}
	for i := range d.Threads {
		t := &d.Threads[i]
		if !t.Virtual {
			continue
		}
		stack := r.internStack(recorded(t.Frames))
		kind, mode := r.waits(t, stack)
		if kind == format.KindUnknownLock {
			continue
		}
		l := locks[t.For]
		if l == nil {
			lock := r.object(r.dumpClass(t.For), int64(t.For.Addr), hashSpace, kind, stack)
			l = &dumpedLock{Event: format.Event{Kind: format.KindContention, Time: d.Time, Weight: since, Object: lock}, kind: kind}
			locks[t.For], order = l, append(order, l)
		}
		l.Waiters = append(l.Waiters, format.Party{Thread: r.dumpThread(t), Stack: stack, Mode: mode})
	}
	r.addOwners(locks, d, d.Time)
	for _, l := range order {
		if len(l.Owners) == 0 {
			l.Owners = []format.Party{{}} // threads are read one after another: some thread held it
		}
		r.queue.Push(l.Event)
	}
}
