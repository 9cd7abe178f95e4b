package owners

import "contend/format"

// Other is what a thread was seen doing other than waiting for a lock.
type Other struct {
	Start, End int64
	thread     format.ThreadID
	info       uint32 // what it did, the bit below, and the lock it had meanwhile
	Stack      format.StackID
}

// The greatest format.Activity there is room for, and a bit above it: that the
// thread waited for what others must give back.
const (
	maxWhat     = 1<<6 - 1
	resourceBit = 1 << 6
	hadShift    = 7 // and above those a lock's id, which is not beyond MaxID
)

// otherOf returns what is kept of an activity but for its thread and times.
func otherOf(ev *format.Event) doer {
	d := doer{stack: ev.Stack, info: uint32(min(ev.Activity, maxWhat))}
	if ev.Resource {
		d.info |= resourceBit
	}
	if (ev.Activity == format.ActivityRun || ev.Activity == format.ActivityWait) && ev.Object <= MaxID {
		d.info |= uint32(ev.Object) << hadShift
	}
	return d
}

// ran reports whether it is a sample of a thread that ran, or could, of what is no wait.
func (d doer) ran() bool {
	return d.does() == format.ActivityRun || d.does() == format.ActivityRunnable
}

// does returns what it is, of what is no wait.
func (d doer) does() format.Activity { return format.Activity(d.info & maxWhat) }

// at returns the lock that what is no wait is about.
func (d doer) at() format.ObjectID { return format.ObjectID(d.info >> hadShift) }

// had returns the lock the thread is known to have had meanwhile, of what is no wait.
func (d doer) had() format.ObjectID {
	if d.does() != format.ActivityRun {
		return format.NoObject
	}
	return d.at()
}

// Thread returns who did it.
func (a Other) Thread() format.ThreadID { return a.thread }

// What returns what it did.
func (a Other) What() format.Activity { return doer{info: a.info}.does() }

// Resource reports whether it waited for what others must give back.
func (a Other) Resource() bool { return a.info&resourceBit != 0 }

// MaxID bounds the ids taken from a trace, so that one wild id cannot make a
// table of gigabytes. Whoever calls Add has dropped what is beyond it.
const MaxID = 1 << 24
