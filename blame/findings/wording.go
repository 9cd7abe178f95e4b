package findings

import (
	"cmp"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Titled returns a sentence part that follows "is", with a name for the lock that threads wait
// for and one for the lock that its owner waits for. "" is no name. A thread that initialises a
// class holds no lock of the program: it delays the initialisation.
func (f *Finding) Titled(lock, other string) string {
	this := cmp.Or(lock, "this one")
	if f.initialises() {
		lock, this = "up the "+f.Class, "up the "+f.Class
	}
	return strings.NewReplacer("{lock}", cmp.Or(lock, "the lock"), "{this}", this, "{other}",
		cmp.Or(other, "another lock")).
		Replace(kinds[f.Kind].title)
}

// Fix returns what to do, without the details and alternatives that the remedy has.
func (f *Finding) Fix() string {
	fix, _ := f.remedy()
	return fix
}

// remedy returns the two parts of a remedy. The lock of a class initialisation belongs to the
// JVM, and the lock of a sync.Once to Go: neither can be released early.
func (f *Finding) remedy() (fix, details string) {
	switch {
	case f.Class == "sync.Once" && kinds[f.Kind].doing != blame.DoingUnknown:
		return "Do that outside of what runs once", ", or have it run before others need it."
	case !f.initialises():
		return kinds[f.Kind].remedy[0], kinds[f.Kind].remedy[1]
	case f.Kind <= LockOrder:
		return "Let none of these classes need another while it is initialised", "."
	case kinds[f.Kind].doing == blame.DoingUnknown:
		return "Have the class initialised before others need it", "."
	}
	return "Do that outside of the static initialiser", ", or have the class initialised before others need it."
}

// initialises reports whether threads wait for the initialisation of a class.
func (f *Finding) initialises() bool { return strings.HasPrefix(f.Class, format.Initialisation) }

// Confidence is a grade of certainty.
type Confidence string

// The confidences, and the least share of the waiting whose owner is expected to be right.
const (
	Low    Confidence = "low"
	Medium Confidence = "medium"
	High   Confidence = "high"

	mediumFrom = 0.7
	highFrom   = 0.9
)

// Known returns the share of its waiting whose owner is expected to be right.
func (f *Finding) Known() float64 { return analysis.Ratio(f.Provenance.RightNs, f.WaitNs) }

// confidence grades a finding about owners.
func confidence(f *Finding) Confidence {
	switch known := f.Known(); {
	case known >= highFrom:
		return High
	case known >= mediumFrom:
		return Medium
	}
	return Low
}
