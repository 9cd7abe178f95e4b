package screen

// DefaultWidth is the width of what no terminal shows.
const DefaultWidth = 80

// MaxLines is how long a screen is at most when it is as wide as DefaultWidth,
// unless all is asked for. Head and tail take what they need, findings up to their size, and
// what threads wait for what is left.
const (
	MaxLines     = 25
	findingLines = 9
	noteLines    = 4

	minFindings = 4 // are kept free for these where they come later
)

// The most that a section shows; its first row always. The first lock has three owners
// where two held it for less than half of its waiting.
const (
	maxFindings  = 3
	maxWaits     = 3
	maxResources = 2
	maxCallers   = 2
	maxOwners    = 3
	maxMembers   = 3 // threads of a deadlock

	everything = 1 << 30 // where all is asked for
)

// How many columns names of threads take where not all is asked for: some are
// whole requests.
const (
	shortName  = 32
	shortNames = 48
)

// What is worth a word, as a part of some waiting.
const (
	small     = 0.01 // of all waiting: nothing below is worth a first look, unless it is the biggest
	notable   = 0.05 // of all waiting: is named in any case where there is room
	little    = 0.03 // of all waiting: how the owners are known is not said below
	minOwner  = 0.05 // of the waiting for a lock: an owner is named
	minDoing  = 0.2  // of the waiting for an owner: its activity is named
	minCaller = 0.8  // of the waiting for an owner: a caller of less would be blamed for the rest
	nearlyAll = 0.9  // the other part is not mentioned
)

// worthwhile is how many threads wait on average at least where a change would be
// felt.
const worthwhile = 0.01

// When advice is given.
const (
	advised = 0.5 // the part of a lock's waiting that something must cause for advice to be about it

	// A method must have been sampled as the owner for this part of the lock's waiting: one
	// sample of an owner that has just released it may show any of its callers.
	minSeen = 0.05

	sure = 0.7 // how much of what is known is expected to be right for advice without a doubt
)

// below reports whether waiting is less than a share of some other.
func below(ns int64, share float64, of int64) bool { return float64(ns) < share*float64(of) }
