// Package format is the vocabulary every other room speaks: ids, events,
// sources of events, positioned errors, and the contend trace format. It
// decodes nothing foreign and computes nothing.
package format

// Kind names what an Event says.
type Kind uint8

// The kinds of events. The comment lists the fields each one uses; all
// others are zero. Times are nanoseconds since the Unix epoch.
const (
	KindNone Kind = iota

	// Metadata, written before its first use.
	KindThread // Thread, Name, Group: a thread exists and is called Name; may be repeated when it is renamed
	KindObject // Object, Class, Hash, LockKind, Name, Stack: a lock; Stack created it
	KindStack  // Stack, Frames

	// Life.
	KindThreadStart // Thread, Time
	KindThreadEnd   // Thread, Time
	KindRecording   // Time, End: an interval that was recorded; several may overlap
	KindTick        // Time (actual), Intended, Weight, Live, IdleThreads: a sampling instant
	KindGap         // Time, End, Bytes, Name: data lost, and why
	KindSetting     // Name, Value, Weight: what the recorder was told; Weight is its threshold in ns if it is one
	KindEnd         // Count: number of events before this one; its absence means truncation

	// Waiting and owning.
	KindContention // Time, Weight, Object, Owners, Waiters: one instant of one contended lock
	KindWait       // Thread, Object, Mode, Time, End, Stack, Owner, Failed: blocked over [Time, End); Owner held the lock last; Failed: it gave up
	KindTenure     // Thread, Object, Mode, Time, End, Stack: held the lock over [Time, End); NoThread: somebody unknown did
	KindActivity   // Thread, Time, End, Stack, Activity, Object, Resource, Owner: what the thread did; End == Time for an instant. Owner ended it, if another thread is known to have
	KindRelease    // Thread, Object, Mode, Time, Stack, Woken, Again: gave the lock back and woke Woken; NoThread: somebody unknown did; NoObject: ended a wait of Woken for no lock
	KindPause      // Time, End, Name: no thread of the program ran over [Time, End); Name says why
	KindBlocked    // Time, Thread, Weight: how long the thread was blocked at monitors up to Time, as its runtime measured it

	KindNote // Name, Value, Weight: what the reader of the input that the trace was made of said of it; see Stats.Notes

	kindCount // 19 and 20 are taken: version 2 of the format had two kinds more
)

// String returns the kind as the text twin writes it.
func (k Kind) String() string { return name(kindNames[:], uint8(k)) }

// ParseKind inverts Kind.String.
func ParseKind(s string) (k Kind, ok bool) { return parse[Kind](kindNames[:], s) }

var kindNames = [kindCount]string{
	"none", "thread", "object", "stack",
	"thread-start", "thread-end", "recording", "tick", "gap", "setting", "end",
	"contention", "wait", "tenure", "activity", "release", "pause", "blocked", "note",
}

// Timed reports whether events of the kind have a time. Gaps that are at no time say so.
func (k Kind) Timed() bool {
	switch k {
	case KindThread, KindObject, KindStack, KindSetting, KindGap, KindNote, KindEnd:
		return false
	}
	return true
}

// written reports whether a Sink takes events of the kind.
func (k Kind) written() bool { return k != KindNone && k != KindEnd && k < kindCount }

// Event is one record of a trace. It is flat so that a reader can fill the
// same one again and again: its slices belong to the reader and are only
// valid until the next Read; its strings may be kept.
type Event struct {
	Kind     Kind
	Mode     Mode
	LockKind LockKind
	Activity Activity
	Failed   bool // a wait: it ended without the lock
	Resource bool // idle time: for what others must give back, as an object of a pool

	Time     int64
	End      int64
	Intended int64

	// Weight of a KindContention or KindTick is the time the instant stands
	// for, when the producer knows it. A contention event with Weight
	// EvidenceOnly stands for no time of its own: the trace holds the waits
	// themselves, and the instant only shows who owned the lock. Weight of a
	// KindBlocked is what was measured since the one before of its thread.
	Weight int64

	Thread ThreadID
	Owner  ThreadID
	Woken  ThreadID // by a release: was blocked on the lock until then; NoThread when nobody was, or not known
	Object ObjectID
	Stack  StackID

	// Again is how long after a release, in ns, the thread it woke blocked on
	// the lock again, since another one was quicker; 0 when it got the lock.
	// The wait goes on over all of its tries.
	Again int64

	Live        uint32
	IdleThreads uint32
	Hash        uint64 // identity hash or address of a lock
	Bytes       int64
	Count       uint64

	Name  string
	Group string
	Class string
	Value string

	Frames  []Frame
	Owners  []Party
	Waiters []Party
}

// The special weights of a contention event or tick.
const (
	WeightFromTicks int64 = 0  // the analysis derives it from the neighbouring ticks
	EvidenceOnly    int64 = -1 // stands for no time
)

// A setting of this name and value says that the tenures of the trace are not
// recorded but rebuilt by its decoder, from releases and acquisitions that
// are: their owners are inferred, and tenures nobody waited for are missing.
const (
	SettingTenures  = "tenures"
	TenuresInferred = "inferred"
)

// A setting of this name and value says that every release which woke a thread
// waiting for a lock is an event of the trace, as far as nothing is lost. The
// owners of the locks follow from that, where no tenures are recorded.
const (
	SettingReleases = "releases"
	ReleasesWaking  = "waking"  // and every wait is whole
	ReleasesUnparks = "unparks" // and a wait is one park: several may be tries of one acquisition; those of monitors are missing
)

// A setting of this name says that idle time is recorded when it ends: of a
// thread that is idle when the recording ends nothing need be known. By its
// value short idle times may be missing, too.
const (
	SettingIdle = "idle"
	IdleEnded   = "ended"
	IdleLong    = "long" // and only long ones
)

// PauseGC begins the name of a pause for a garbage collection.
const PauseGC = "gc"

// SettingEntry begins the name of a setting that names a synchronized method
// at whose entry threads waited, as Class::method; the class of the monitor
// follows. The recorder may trace its calls.
const SettingEntry = "entry "

// SettingInput is the name of the setting that begins one of several inputs
// joined in a trace; its value labels the input, which has the label of the one
// before where it is empty. Threads named after it belong to it.
const SettingInput = "input"

// SettingPeriod is the name of the setting that tells how far apart the instants
// of a sampled trace are on average; its value is in nanoseconds.
const SettingPeriod = "sampling-period"

// A setting of this name and value says that ticks stand for no time before the first
// and behind the last of them: nothing tells of what was there.
const (
	SettingReach = "sampling-reach"
	ReachBetween = "between"
)

// A setting of this name says whether sampled waiting at monitors can be held
// against what the runtime measured itself, which KindBlocked events tell, from
// there on.
const (
	SettingCalibration = "calibration"
	CalibrationBlocked = "blocked"
)

// Reset clears the event but keeps the capacity of its slices.
func (e *Event) Reset() {
	frames, owners, waiters := e.Frames[:0], e.Owners[:0], e.Waiters[:0]
	*e = Event{} // in place; with them, it would be made elsewhere and copied
	if cap(frames) > 0 {
		e.Frames = frames
	}
	if cap(owners) > 0 {
		e.Owners = owners
	}
	if cap(waiters) > 0 {
		e.Waiters = waiters
	}
}
