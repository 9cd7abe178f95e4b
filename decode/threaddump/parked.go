package threaddump

import (
	"strings"

	"contend/format"
)

// Classes whose frames show the object on which a thread is parked.
const (
	LockSupport        = "java.util.concurrent.locks.LockSupport"
	QueuedSynchronizer = "java.util.concurrent.locks.Abstract" // and QueuedSynchronizer, or QueuedLongSynchronizer
	Conditions         = "$ConditionObject"
)

// ParkedOn finds in its frames the object on which a thread is parked: the class of the
// lock, "" if unknown, and the class of the program that uses it.
func ParkedOn(frames []format.Frame) (class, home string) {
	synchronizer := false
	for _, f := range frames {
		ours := !strings.HasPrefix(f.Class, "java.util.concurrent.")
		switch {
		case strings.Contains(f.Class, Conditions):
			return f.Class, ""
		case strings.HasPrefix(f.Class, QueuedSynchronizer):
			synchronizer = true
		case class == "" && f.Class != LockSupport && (synchronizer || !ours):
			class = syncOf(f.Class)
		}
		if ours {
			return class, f.Class
		}
	}
	return class, ""
}

// syncOf returns the class that parks have for a lock of the JDK, in its unfair form, the
// default; for other classes the class itself.
func syncOf(class string) string {
	switch family := FamilyOf(class); family {
	case "java.util.concurrent.locks.ReentrantLock",
		"java.util.concurrent.locks.ReentrantReadWriteLock",
		"java.util.concurrent.Semaphore":
		return family + "$NonfairSync"
	case "java.util.concurrent.CountDownLatch":
		return family + "$Sync"
	}
	return class
}

// FamilyOf returns the outermost class, which a lock and its inner classes
// share.
func FamilyOf(class string) string {
	family, _, _ := strings.Cut(class, "$")
	return family
}
