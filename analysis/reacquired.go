package analysis

import (
	"strings"

	"contend/format"
)

// Reacquired is the time to re-acquire locks after waiting on a condition, in ns. Recorders give one event for
// the wait on the condition and the wait for the lock: where the one ends and the other begins is an estimate.
type Reacquired struct {
	Ns        int64 // as counted
	Low, High int64 // its range
}

// Merge adds the time at another lock.
func (r *Reacquired) Merge(o Reacquired) {
	r.Ns += o.Ns
	r.Low += o.Low
	r.High += o.High
}

// ConditionObject is the class of the conditions of java.util.concurrent locks.
const ConditionObject = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"

// Reacquires reports whether a recorded wait for a lock with this stack is a Reacquired one: it has the stack of
// the wait on the condition. A thread that parks in the queue of the lock after await has been seen to wait.
func Reacquires(frames []format.Frame) bool {
	for i := range frames {
		switch f := &frames[i]; {
		case f.Class == "java.lang.Object":
			return i == 0 && strings.HasPrefix(f.Method, "wait")
		case f.Class == ConditionObject:
			return i > 0 // it parks
		case !format.OfJDK(*f), strings.HasPrefix(f.Method, "acquire"):
			return false
		}
	}
	return false
}
