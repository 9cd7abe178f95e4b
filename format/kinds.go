package format

import "slices"

// Mode is how a thread holds or requests a lock.
type Mode uint8

// The modes.
const (
	Exclusive Mode = iota
	Shared         // one of possibly many readers
)

// String returns "exclusive" or "shared".
func (m Mode) String() string { return name(modeNames[:], uint8(m)) }

// LockKind is the family a lock belongs to.
type LockKind uint8

// The families of locks.
const (
	KindUnknownLock   LockKind = iota
	KindMonitor                // a Java monitor: synchronized
	KindSynchronizer           // an exclusive java.util.concurrent lock
	KindReadWriteLock          // a lock with readers and writers
	KindSemaphore              // permits, which any thread may release
	KindMutex                  // sync.Mutex, pthread_mutex
	KindKernelLock             // a lock inside an operating system
	KindGIL                    // an interpreter's lock, held by its running thread
)

// String returns the family as reports and the text twin write it.
func (k LockKind) String() string { return name(lockKindNames[:], uint8(k)) }

// Activity is what a thread did over an interval, other than waiting for a lock.
type Activity uint8

// The activities of threads.
const (
	ActivityUnknown  Activity = iota // a wait no rule classifies: neither contention nor surely idle
	ActivityWait                     // Object.wait, a condition
	ActivityPark                     // parked by a latch, queue, pool or future
	ActivitySleep                    // Thread.sleep
	ActivityIO                       // file or socket
	ActivityRun                      // running: an execution sample
	ActivityLive                     // alive, by a thread dump; nothing more is known
	ActivitySeen                     // sampled at its stack, running or not
	ActivityFile                     // I/O of a file
	ActivitySocket                   // I/O of a socket
	ActivityTook                     // not an activity: a thread acquired Object with the stack, as a dump shows
	ActivityReady                    // ready to run, without a processor
	ActivityRunnable                 // runnable at an instant of a thread dump, with a processor or not
)

// Idle reports whether a thread with this activity is idle. A wait that matches no rule
// counts as idle.
func (a Activity) Idle() bool { return a <= ActivitySleep }

// String returns the activity as the text twin writes it.
func (a Activity) String() string { return name(activityNames[:], uint8(a)) }

var (
	modeNames     = [...]string{"exclusive", "shared"}
	lockKindNames = [...]string{
		"unknown",
		"monitor",
		"synchronizer",
		"readwritelock",
		"semaphore",
		"mutex",
		"kernel",
		"gil",
	}
	activityNames = [...]string{
		"unknown",
		"wait",
		"park",
		"sleep",
		"io",
		"run",
		"live",
		"seen",
		"file",
		"socket",
		"took",
		"ready",
		"runnable",
	}
)

func name(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "invalid"
}

// ParseMode inverts Mode.String; ok is false for a name that does not exist.
func ParseMode(s string) (m Mode, ok bool) { return parse[Mode](modeNames[:], s) }

// ParseLockKind inverts LockKind.String.
func ParseLockKind(s string) (k LockKind, ok bool) { return parse[LockKind](lockKindNames[:], s) }

func parse[T ~uint8](names []string, s string) (T, bool) {
	i := slices.Index(names, s)
	return T(max(i, 0)), i >= 0
}
