package screen

// DefaultWidth is the width of output that goes to no terminal.
const DefaultWidth = 80

// MaxLines bounds the lines of a screen of DefaultWidth without --full. Head and tail take the lines
// they need, findings up to their limit, and the locks the rest.
const (
	MaxLines     = 25
	findingLines = 9
	noteLines    = 4

	minFindings = 4 // lines kept free for findings that come after the locks
)

// The limits of the rows of a section; the first row has no limit. The first lock has three owners
// if two held it for less than half of its waiting.
const (
	maxFindings  = 3
	maxWaits     = 3
	maxResources = 2
	maxCallers   = 2
	maxOwners    = 3
	maxMembers   = 3 // threads of a deadlock

	everything = 1 << 30 // with --full
)

// The columns of thread names without --full: some names are whole requests.
const (
	shortName  = 32
	shortNames = 48
)

// The parts of some waiting from which a row or a fact is shown.
const (
	small     = 0.01 // of all waiting: smaller rows are left out, except the largest one
	notable   = 0.05 // of all waiting: larger rows are named if there is room
	little    = 0.03 // of all waiting: smaller rows have no provenance
	minOwner  = 0.05 // of the waiting for a lock: larger owners are named
	minDoing  = 0.2  // of the waiting for an owner: larger activities are named
	minCaller = 0.8  // of the waiting for an owner: a smaller caller would be blamed for the rest
	nearlyAll = 0.9  // above it the rest is not mentioned
)

// estimated is the part of the waiting for a lock, and by which that may be off, from which a screen tells that
// it is an estimate.
const estimated = 0.1

// worthwhile is the average number of waiting threads from which a change has an effect.
const worthwhile = 0.01

// The thresholds of advice.
const (
	advised = 0.5 // the part of a lock's waiting above which a cause gets advice

	// A method must have been sampled as the owner for this part of the lock's waiting: one
	// sample of an owner that has just released it may show any of its callers.
	minSeen = 0.05

	sure = 0.7 // the expected accuracy from which advice is given without a doubt
)

// below reports whether waiting is less than a share of some other.
func below(ns int64, share float64, of int64) bool { return float64(ns) < share*float64(of) }
