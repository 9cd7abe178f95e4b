package format

// Identifiers are dense, start at 1 and are valid within one trace. Zero means none.
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

// NoTime marks an unknown instant. It is far before every real time and never takes part in
// arithmetic.
const NoTime int64 = -1 << 63

// Frame is one line of a call stack.
type Frame struct {
	Class  string // class or package, as the language writes it: java.util.Hashtable, net/http
	Method string // method or function without signature
	File   string // "" when unknown
	Line   int    // 0 when unknown, -1 for native code
}

// The classes of frames that are not code but names that the program gave to its work (Go's
// runtime/trace); Method is the name. They are the outermost frames.
const (
	TaskClass   = "[task]"
	RegionClass = "[region]"
)

// Initialisation begins the class of the lock at which threads wait for another thread to
// initialise a class, whatever object the JVM uses; the name of that class follows, or "a
// class".
const Initialisation = "initialisation of "

// Party is a thread taking part in a contention event, with the stack it had
// at that instant.
type Party struct {
	Thread ThreadID // NoThread for an owner that exists and whose id is unknown
	Stack  StackID
	Mode   Mode
}
