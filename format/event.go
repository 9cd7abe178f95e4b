package format

// Kind is the kind of an Event.
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
	KindSetting     // Name, Value, Weight: how the recorder was set; Weight is a threshold in ns if it is one
	KindEnd         // Count: number of events before this one; its absence means truncation

	// Waiting and owning.
	KindContention // Time, Weight, Object, Owners, Waiters, Count: one instant of one contended lock, or a sum
	// Thread, Object, Mode, Time, End, Stack, Owner, Failed: blocked over [Time, End); Owner held the
	// lock before it was acquired
	KindWait
	// Thread, Object, Mode, Time, End, Stack: held the lock over [Time, End); NoThread: an unknown
	// thread
	KindTenure
	// Thread, Time, End, Stack, Activity, Object, Resource, Owner: what the thread did; End == Time for
	// an instant; Owner is the thread that ended it, if known
	KindActivity
	// Thread, Object, Mode, Time, Stack, Woken, Again: released the lock and woke Woken; NoThread: an
	// unknown thread; NoObject: ended a wait of Woken that was not for a lock
	KindRelease
	KindPause // Time, End, Name: no thread of the program ran over [Time, End); Name says why
	// Time, Thread, Weight: how long the thread was blocked at monitors up to Time, as its runtime
	// measured it
	KindBlocked

	KindNote // Name, Value, Weight: a note of the reader of the input that the trace was made of; see Stats.Notes

	kindCount // 19 and 20 are reserved: version 2 of the format used them
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

// Timed reports whether events of the kind have a time. Gaps may have none, and then say
// so.
func (k Kind) Timed() bool {
	switch k {
	case KindThread, KindObject, KindStack, KindSetting, KindGap, KindNote, KindEnd:
		return false
	}
	return true
}

// written reports whether a Sink takes events of the kind.
func (k Kind) written() bool { return k != KindNone && k != KindEnd && k < kindCount }

// Event is one record of a trace. It is flat, so that a reader can reuse it: its slices
// belong to the reader and are valid only until the next Read; its strings may be kept.
type Event struct {
	Kind     Kind
	Mode     Mode
	LockKind LockKind
	Activity Activity
	Failed   bool // of a wait: it ended without the lock
	Resource bool // of idle time: the thread waited for a resource, such as an object of a pool

	Time     int64
	End      int64
	Intended int64

	// Weight of a KindContention or KindTick is the time that the instant stands for, if the
	// producer knows it; of other kinds it is what the list of kinds says. A contention event
	// with Weight EvidenceOnly stands for no time: the trace has the waits, and the instant only
	// shows the owner of the lock. Weight of a KindBlocked is the blocked time measured since
	// the previous one of its thread.
	Weight int64

	Thread ThreadID
	Owner  ThreadID // of a wait: the owner before the acquisition; of an activity: the thread that ended it
	// of a release: the thread that it woke, blocked on the lock until then; NoThread for none, or if
	// unknown
	Woken  ThreadID
	Object ObjectID
	Stack  StackID

	// Again is, for a release, the time in ns until the woken thread blocked on the lock
	// again because another thread was quicker; 0 if it acquired the lock. The wait
	// includes all of its tries.
	Again int64

	Live        uint32
	IdleThreads uint32
	Hash        uint64 // identity hash or address of a lock
	Bytes       int64
	// Count of a KindEnd is the number of events before it; of a KindContention, after SettingSums, the
	// number of waits that its weight sums, 0 if the source does not count them.
	Count uint64

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

// A setting of this name and value says that the holds of the trace are not recorded. Its
// decoder inferred them from releases and acquisitions; holds that no thread waited for are
// missing.
//
// The other value says that the recorder followed some locks, and these only while threads waited
// for them: a lock without holds has none recorded, and of one with holds others may be missing,
// that no thread waited for.
const (
	SettingTenures   = "tenures"
	TenuresInferred  = "inferred"
	TenuresContended = "contended"
)

// Settings of an agent that looked for contended locks: the class of each that it followed, since the time in
// Weight if that is not 0; how many classes it rewrote for those before it; of a class that it left alone, whose
// name follows, why; and the class of a lock whose holds belong to no thread.
const (
	SettingFollowed  = "followed"
	SettingRewritten = "rewritten"
	SettingLeft      = "left-alone "
	SettingRefused   = "not-followed"
)

// A setting of this name and value says that every release that woke a waiting thread is an
// event of the trace, unless data is lost. Owners follow from the releases if the trace has
// no holds.
const (
	SettingReleases = "releases"
	ReleasesWaking  = "waking" // and every wait is whole
	// each wait is one park, so that an acquisition may have several; releases of monitors are missing
	ReleasesUnparks = "unparks"
)

// A setting of this name says that idle time is recorded when it ends: a thread that is
// idle at the end of the recording may have no event. By its value short idle times may be
// missing, too.
const (
	SettingIdle = "idle"
	IdleEnded   = "ended"
	IdleLong    = "long" // and only if it is long
)

// PauseGC begins the name of a pause for a garbage collection.
const PauseGC = "gc"

// SettingEntry begins the name of a setting with a synchronized method at whose entry threads
// waited, as Class::method; the class of the monitor follows. The recorder may trace its
// calls.
const SettingEntry = "entry "

// SettingInput is the name of the setting that begins one of several inputs joined in a
// trace. Its value is the label of the input; an empty one means the label of the input
// before. Threads introduced after it belong to it.
const SettingInput = "input"

// SettingVirtual is the name of the setting that says that samples show virtual threads,
// too.
const SettingVirtual = "virtual-threads"

// SettingPeriod is the name of the setting with the mean distance of sampling instants, in
// ns.
const SettingPeriod = "sampling-period"

// A setting of this name and value says that ticks stand for no time before the first and
// after the last of them.
const (
	SettingReach = "sampling-reach"
	ReachBetween = "between"
)

// A setting of this name says whether, from there on, sampled waiting for monitors can be
// compared with the measured blocked time of KindBlocked events.
const (
	SettingCalibration = "calibration"
	CalibrationBlocked = "blocked"
)

// A setting of this name and value says that from there on, contention events are no instants: the weight of
// each is the sum of waits without known times, and its count is their number.
const (
	SettingSums = "contentions"
	SumsOfWaits = "sums"
)

// Reset clears the event but keeps the capacity of its slices.
func (e *Event) Reset() {
	frames := e.Frames[:0]
	owners := e.Owners[:0]
	waiters := e.Waiters[:0]
	*e = Event{} // assigned in place; a literal with the slices would be built elsewhere and copied
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
