package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// keyTable numbers activity keys. Threads do few things at few places, so keys are few beside
// activities. A key may have several numbers.
type keyTable struct {
	all    column.Column[activityKey]
	recent [recentKeys]uint32 // numbers, plus one
}

// activityKey is an activity without its thread and times, in 12 bytes.
type activityKey struct {
	stack format.StackID
	lock  format.ObjectID // that is waited for; NoObject for all but waits
	info  uint32          // of a wait: see waitKey; of another activity: see otherKey
}

// recentKeys is how many keys are remembered, a power of two. With fewer, more keys have
// several numbers.
const recentKeys = 1 << 13

// number returns the number of a key, a new one if it was not seen lately.
func (s *keyTable) number(d activityKey) uint32 {
	recent := &s.recent[(uint32(d.stack)*0x85ebca6b^uint32(d.lock)*0xc2b2ae35^d.info*0x9e3779b1)>>8%recentKeys]
	if *recent == 0 || *s.all.At(*recent - 1) != d {
		s.all.Add(d)
		*recent = uint32(s.all.Len())
	}
	return *recent - 1
}

func (s *keyTable) list() []activityKey {
	out := make([]activityKey, 0, s.all.Len())
	s.all.Each(func(_ column.Ref, d *activityKey) { out = append(out, *d) })
	return out
}

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

func (a Other) Thread() format.ThreadID { return a.thread }

func (a Other) What() format.Activity { return activityKey{info: a.info}.does() }

// Resource reports whether the thread waited for a resource, such as an object of a pool.
func (a Other) Resource() bool { return a.info&resourceBit != 0 }

// MaxID bounds the ids of a trace, so that one wild id cannot make a table of gigabytes.
// Callers of Add drop events beyond it.
const MaxID = 1 << 24
