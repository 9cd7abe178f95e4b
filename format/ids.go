package format

// Identifiers are dense, start at 1 and are only good within one trace. Zero
// is the named absence of each.
type (
	ThreadID uint32 // a thread, virtual thread or goroutine
	ObjectID uint32 // a lock
	StackID  uint32 // a call stack, innermost frame first
)

// The absences.
const (
	NoThread ThreadID = 0
	NoObject ObjectID = 0
	NoStack  StackID  = 0
)

// NoTime marks an instant the trace does not give. It is far before every
// real time and never takes part in arithmetic.
const NoTime int64 = -1 << 63

// Frame is one line of a call stack.
type Frame struct {
	Class  string // class or package, as the language writes it: java.util.Hashtable, net/http
	Method string // method or function without signature
	File   string // "" when unknown
	Line   int    // 0 when unknown, -1 for native code
}

// The classes of frames that are no code but what the program said it was
// doing (Go's runtime/trace); Method is the name. They are the outermost.
const (
	TaskClass   = "[task]"
	RegionClass = "[region]"
)

// Party is a thread taking part in a contention event, with the stack it had
// at that instant.
type Party struct {
	Thread ThreadID // NoThread for an owner that is known to exist but not by name
	Stack  StackID
	Mode   Mode
}

// Mode says how a thread holds or wants a lock.
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
	KindSemaphore              // permits, which any thread may give back
	KindMutex                  // sync.Mutex, pthread_mutex
	KindKernelLock             // a lock inside an operating system
)

// String returns the family as reports and the text twin write it.
func (k LockKind) String() string { return name(lockKindNames[:], uint8(k)) }

// Activity says what a thread did over an interval in which it took no lock.
type Activity uint8

// What a thread may be seen doing.
const (
	ActivityUnknown Activity = iota // a wait no rule classifies: neither contention nor surely idle
	ActivityWait                    // Object.wait, a condition
	ActivityPark                    // parked by a latch, queue, pool or future
	ActivitySleep                   // Thread.sleep
	ActivityIO                      // file or socket
	ActivityRun                     // running: an execution sample
	ActivityLive                    // alive, seen by a thread dump; nothing more is known
	ActivitySeen                    // seen at its stack by a sample; whether it ran is not told
)

// String returns the activity as the text twin writes it.
func (a Activity) String() string { return name(activityNames[:], uint8(a)) }

var (
	modeNames     = [...]string{"exclusive", "shared"}
	lockKindNames = [...]string{"unknown", "monitor", "synchronizer", "readwritelock", "semaphore", "mutex", "kernel"}
	activityNames = [...]string{"unknown", "wait", "park", "sleep", "io", "run", "live", "seen"}
)

func name(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "invalid"
}

// ParseMode, ParseLockKind and ParseActivity invert the String methods; ok is
// false for a name that does not exist.
func ParseMode(s string) (m Mode, ok bool) {
	i, ok := index(modeNames[:], s)
	return Mode(i), ok
}

// ParseLockKind inverts LockKind.String.
func ParseLockKind(s string) (k LockKind, ok bool) {
	i, ok := index(lockKindNames[:], s)
	return LockKind(i), ok
}

// ParseActivity inverts Activity.String.
func ParseActivity(s string) (a Activity, ok bool) {
	i, ok := index(activityNames[:], s)
	return Activity(i), ok
}

func index(names []string, s string) (uint8, bool) {
	for i, n := range names {
		if n == s {
			return uint8(i), true
		}
	}
	return 0, false
}
