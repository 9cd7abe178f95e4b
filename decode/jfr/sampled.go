package jfr

import (
	"slices"

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
	var order []threaddump.LockRef
	locks := map[threaddump.LockRef]*format.Event{}
	for i := range d.Threads {
		t := &d.Threads[i]
		if !t.Virtual {
			continue
		}
		stack := r.internStack(recorded(slices.Clone(t.Frames)))
		kind, mode := r.waits(t, stack)
		if kind == format.KindUnknownLock {
			continue
		}
		ev := locks[t.For]
		if ev == nil {
			lock := r.object(r.dumpClass(t.For), int64(t.For.Addr), hashSpace, kind, stack)
			ev = &format.Event{Kind: format.KindContention, Time: d.Time, Weight: since, Object: lock}
			locks[t.For], order = ev, append(order, t.For)
		}
		ev.Waiters = append(ev.Waiters, format.Party{Thread: r.dumpThread(t), Stack: stack, Mode: mode})
	}
	for i := range d.Threads {
		t := &d.Threads[i]
		for _, ref := range t.Held {
			if ev := locks[ref]; ev != nil && t.For != ref {
				ev.Owners = append(ev.Owners, format.Party{Thread: r.dumpThread(t), Stack: r.internStack(recorded(slices.Clone(t.Frames)))})
				if frames := t.Taking(ref); frames != nil {
					took := r.internStack(recorded(slices.Clone(frames)))
					r.queue.Push(format.Event{Kind: format.KindActivity, Activity: format.ActivityTook, Stack: took, Object: ev.Object, Time: d.Time, End: d.Time})
				}
			}
		}
	}
	for _, ref := range order {
		if ev := locks[ref]; len(ev.Owners) == 0 {
			ev.Owners = []format.Party{{}} // threads are looked at one after the other: some had it
		}
		r.queue.Push(*locks[ref])
	}
}
