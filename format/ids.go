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
	Class  string `json:"class"`  // class or package, as the language writes it: java.util.Hashtable, net/http
	Method string `json:"method"` // method or function without signature
	File   string `json:"-"`      // "" when unknown
	Line   int    `json:"line"`   // 0 when unknown, -1 for native code
}

// The classes of frames that are not code but names that the program gave to what it does
// (Go's runtime/trace); Method is the name. They are the outermost frames.
const (
	TaskClass   = "[task]"
	RegionClass = "[region]"
)

// Initialisation begins the class of the lock at which threads wait for another one to
// initialise a class, whatever object the JVM has for that; the name of the class that is
// initialised follows, or "a class".
const Initialisation = "initialisation of "

// Party is a thread taking part in a contention event, with the stack it had
// at that instant.
type Party struct {
	Thread ThreadID // NoThread for an owner that is known to exist but not by name
	Stack  StackID
	Mode   Mode
}
