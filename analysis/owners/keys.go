package owners

import (
	"contend/format"
	"contend/format/column"
)

// keyTable numbers activity keys. Threads do few things at few places, so keys are few beside
// activities. A key may have several numbers.
type keyTable struct {
	all    column.Column[activityKey]
	recent [recentKeys]uint32 // numbers, plus one
}

// activityKey is an activity without its thread and times, in 16 bytes.
type activityKey struct {
	Stack format.StackID
	Lock  format.ObjectID // that is waited for; NoObject for all but waits
	By    format.ThreadID // that ended a wait to be notified; NoThread for all others, or if unknown
	info  uint32          // of a wait: see waitKey; of another activity: see otherKey
}

// Activity is what a thread does over [Start, End): it waits for a lock, or does something else.
type Activity struct {
	Start, End int64
	Thread     format.ThreadID
	activityKey
}

// recentKeys is how many keys are remembered, a power of two. With fewer, more keys have
// several numbers.
const recentKeys = 1 << 13

// number returns the number of a key, a new one if it was not seen lately.
func (s *keyTable) number(k activityKey) uint32 {
	hash := uint32(k.Stack)*0x85ebca6b ^ uint32(k.Lock)*0xc2b2ae35 ^ k.info*0x9e3779b1 ^ uint32(k.By)*0x27d4eb2f
	recent := &s.recent[hash>>8%recentKeys]
	if *recent == 0 || *s.all.Elem(*recent - 1) != k {
		s.all.Append(k)
		*recent = uint32(s.all.Len())
	}
	return *recent - 1
}

// The info of a wait has the previous owner of the lock, and two bits that no id reaches: the
// lock was asked for in shared mode, and the wait ended without it.
const (
	sharedBit = 1 << 31
	failedBit = 1 << 30
)

func waitKey(ev *format.Event) activityKey {
	k := activityKey{Stack: ev.Stack, Lock: ev.Object, info: uint32(ev.Owner)}
	if ev.Mode == format.Shared {
		k.info |= sharedBit
	}
	if ev.Failed {
		k.info |= failedBit
	}
	return k
}

// The methods below are for waits.

// prev returns the previous owner of the lock, NoThread if not recorded.
func (k activityKey) prev() format.ThreadID {
	return format.ThreadID(k.info &^ (sharedBit | failedBit))
}

// Failed reports whether a wait ended without the lock.
func (k activityKey) Failed() bool { return k.info&failedBit != 0 }

// Mode returns the mode in which the lock was requested.
func (k activityKey) Mode() format.Mode {
	if k.info&sharedBit != 0 {
		return format.Shared
	}
	return format.Exclusive
}

// The info of another activity has, from the lowest bit: a format.Activity, whether the thread
// waited for a resource, and the lock that it ran in or waited to be notified of, up to MaxID.
const (
	maxWhat     = 1<<6 - 1
	resourceBit = 1 << 6
	lockShift   = 7
)

func otherKey(ev *format.Event) activityKey {
	k := activityKey{Stack: ev.Stack, info: uint32(min(ev.Activity, maxWhat))}
	if ev.Resource {
		k.info |= resourceBit
	}
	if (ev.Activity == format.ActivityRun || ev.Activity == format.ActivityWait) && ev.Object <= MaxID {
		k.info |= uint32(ev.Object) << lockShift
	}
	if ev.Activity == format.ActivityWait {
		k.By = ev.Owner
	}
	return k
}

// The methods below are for activities other than waits.

func (k activityKey) What() format.Activity { return format.Activity(k.info & maxWhat) }

// ran reports whether it is a sample of a thread that ran or could run.
func (k activityKey) ran() bool {
	return k.What() == format.ActivityRun || k.What() == format.ActivityRunnable
}

// Resource reports whether the thread waited for a resource, such as an object of a pool.
func (k activityKey) Resource() bool { return k.info&resourceBit != 0 }

// AssociatedLock returns the lock that the thread ran in, or waited to be notified of.
func (k activityKey) AssociatedLock() format.ObjectID { return format.ObjectID(k.info >> lockShift) }

// had returns the lock that a running thread is known to have held.
func (k activityKey) had() format.ObjectID {
	if k.What() != format.ActivityRun {
		return format.NoObject
	}
	return k.AssociatedLock()
}

// MaxID bounds the ids of a trace, so that one wild id cannot make a table of gigabytes.
// Callers of Add drop events beyond it.
const MaxID = 1 << 24
