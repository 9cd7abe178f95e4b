package analysis

import "contend/format"

// after is a recorded wait that names the last owner.
func after(thread, lock int, from, to int64, prev int) format.Event {
	ev := waits(thread, lock, from, to)
	ev.Owner, ev.Stack = format.ThreadID(prev), format.StackID(thread)
	return ev
}

func sleeps(thread, stack int, from, to int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: format.ThreadID(thread), Stack: format.StackID(stack), Time: from, End: to}
}

func dump(at int64, lock, owner, stack int, waiters ...int) format.Event {
	ev := format.Event{Kind: format.KindContention, Weight: format.EvidenceOnly, Time: at, Object: format.ObjectID(lock)}
	if owner != 0 {
		ev.Owners = []format.Party{{Thread: format.ThreadID(owner), Stack: format.StackID(stack)}}
	}
	for _, w := range waiters {
		ev.Waiters = append(ev.Waiters, format.Party{Thread: format.ThreadID(w)})
	}
	return ev
}
