package owners

// Of locks that were acquired more often than mostTallied times, only some gaps
// are tallied, in runs of tallyRun evenly spread: so many tell how a long recording
// divides, and runs are in step with nothing a program repeats.
const (
	mostTallied = 1 << 16
	tallyRun    = 64
	fewTallied  = 1 << 12 // of a lock, where that is for a single share
)

// isTallied reports whether a gap, given its number, is in a run that is, of one in
// so many.
func isTallied(at, one int) bool { return at/tallyRun%one == 0 }

// mostAsked is about how many gaps are asked about, of all locks that are inferred
// together: so many tell of all.
const mostAsked = 1 << 13

// oneAsked returns one in how many gaps is asked about, in runs, of so many.
func oneAsked(acquired int) int { return 1 + acquired/mostAsked }

// divided is how long what was charged is, and how long the part of it that is free.
type divided struct{ free, all int64 }

func (d *divided) add(ns int64, to Kind) {
	d.all += ns
	if to == Handoff {
		d.free += ns
	}
}
