package owners

// Of locks that were acquired more often than mostTallied times, only some gaps
// are tallied, in runs of tallyRun evenly spread: so many tell how a long recording
// divides, and runs are in step with nothing a program repeats.
const (
	mostTallied = 1 << 16
	tallyRun    = 64
)

// isTallied reports whether a gap, given its number, is in a run that is, of one in
// so many.
func isTallied(at, one int) bool { return at/tallyRun%one == 0 }

// mostAsked is about how many gaps are asked about, of all locks that are inferred
// together: so many tell of all.
const mostAsked = 1 << 13

// oneAsked returns one in how many gaps is asked about, in runs, of so many.
func oneAsked(acquired int) int { return 1 + acquired/mostAsked }
