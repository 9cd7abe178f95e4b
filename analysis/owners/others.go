package owners

import "contend/format"

// Other is an activity of a thread other than waiting for a lock.
type Other struct {
	Start, End int64
	thread     format.ThreadID
	info       uint32 // what it did, resourceBit, and a lock
	Stack      format.StackID
}

// The fields of Other.info, from the lowest bit: a format.Activity, whether the thread waited
// for a resource, and the lock that it ran in or waited to be notified of, up to MaxID.
const (
	maxWhat     = 1<<6 - 1
	resourceBit = 1 << 6
	lockShift   = 7
)

// otherKey returns the key of an activity other than a wait.
func otherKey(ev *format.Event) activityKey {
	d := activityKey{stack: ev.Stack, info: uint32(min(ev.Activity, maxWhat))}
	if ev.Resource {
		d.info |= resourceBit
	}
	if (ev.Activity == format.ActivityRun || ev.Activity == format.ActivityWait) && ev.Object <= MaxID {
		d.info |= uint32(ev.Object) << lockShift
	}
	return d
}

// The methods below are for keys of activities other than waits.

// ran reports whether it is a sample of a thread that ran or could run.
func (d activityKey) ran() bool {
	return d.does() == format.ActivityRun || d.does() == format.ActivityRunnable
}

// does returns what the thread did.
func (d activityKey) does() format.Activity { return format.Activity(d.info & maxWhat) }

// at returns the lock that the thread ran in, or waited to be notified of.
func (d activityKey) at() format.ObjectID { return format.ObjectID(d.info >> lockShift) }

// had returns the lock that a running thread is known to have held.
func (d activityKey) had() format.ObjectID {
	if d.does() != format.ActivityRun {
		return format.NoObject
	}
	return d.at()
}

// Thread returns the thread.
func (a Other) Thread() format.ThreadID { return a.thread }

// What returns what it did.
func (a Other) What() format.Activity { return activityKey{info: a.info}.does() }

// Resource reports whether the thread waited for a resource, such as an object of a pool.
func (a Other) Resource() bool { return a.info&resourceBit != 0 }

// MaxID bounds the ids of a trace, so that one wild id cannot make a table of gigabytes.
// Callers of Add drop events beyond it.
const MaxID = 1 << 24
