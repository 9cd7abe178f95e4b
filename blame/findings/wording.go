package findings

import (
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Title returns a sentence part that follows "is". A thread that initialises a class holds no
// lock of the program: it delays the initialisation.
func (f *Finding) Title() string {
	title := f.Kind.Title()
	if !f.initialises() {
		return title
	}
	return strings.NewReplacer("holding the lock", "holding up the "+f.Class, "holding this one", "holding up the "+f.Class).Replace(title)
}

// Remedy returns a remedy in one sentence. The lock of a class initialisation belongs to the
// JVM, and the lock of a sync.Once to Go: neither can be released early.
func (f *Finding) Remedy() string {
	switch {
	case f.Class == "sync.Once" && kinds[f.Kind].doing != blame.DoingUnknown:
		return "Do that outside of what runs once, or have it run before others need it."
	case !f.initialises():
		return kinds[f.Kind].remedy
	case f.Kind <= LockOrder:
		return "Let none of these classes need another while it is initialised."
	case kinds[f.Kind].doing == blame.DoingUnknown:
		return "Have the class initialised before others need it."
	}
	return "Do that outside of the static initialiser, or have the class initialised before others need it."
}

// initialises reports whether threads wait for the initialisation of a class.
func (f *Finding) initialises() bool { return strings.HasPrefix(f.Class, format.Initialisation) }

// Confidence is a grade of certainty.
type Confidence uint8

// The confidences, and the least share of the waiting whose owner is expected to be right.
const (
	Low Confidence = iota
	Medium
	High

	mediumFrom = 0.7
	highFrom   = 0.9
)

// String returns "low", "medium" or "high".
func (c Confidence) String() string { return [...]string{"low", "medium", "high"}[min(c, High)] }

// Known returns the share of some waiting whose owner is expected to be right.
func Known(by *analysis.Known) float64 { return analysis.Ratio(by.Right(), by.Ns()) }

// confidence grades a finding about owners.
func confidence(f *Finding) Confidence {
	switch known := Known(&f.ByProvenance); {
	case known >= highFrom:
		return High
	case known >= mediumFrom:
		return Medium
	}
	return Low
}
