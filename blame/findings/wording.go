package findings

import (
	"cmp"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Titled returns a sentence part that follows "is", about a lock of a class, with a name for the lock that
// threads wait for and one for the lock that its owner waits for. "" is no name. A thread that initialises a
// class holds no lock of the program: it delays the initialisation.
func (k Kind) Titled(class, lock, other string) string {
	this := cmp.Or(lock, "this one")
	if initialises(class) {
		lock, this = "up the "+class, "up the "+class
	}
	return strings.NewReplacer("{lock}", cmp.Or(lock, "the lock"), "{this}", this, "{other}",
		cmp.Or(other, "another lock")).
		Replace(kinds[k].title)
}

// Fix returns what to do about a lock of a class, without the details and alternatives that the remedy has.
func (k Kind) Fix(class string) string {
	fix, _ := k.remedy(class)
	return fix
}

// remedy returns the two parts of a remedy. The lock of a class initialisation belongs to the
// JVM, and the lock of a sync.Once to Go: neither can be released early.
func (k Kind) remedy(class string) (fix, details string) {
	switch {
	case class == "sync.Once" && kinds[k].doing != blame.DoingUnknown:
		return "Do that outside of what runs once", ", or have it run before others need it."
	case !initialises(class):
		return kinds[k].remedy[0], kinds[k].remedy[1]
	case k <= LockOrder:
		return "Let none of these classes need another while it is initialised", "."
	case kinds[k].doing == blame.DoingUnknown:
		return "Have the class initialised before others need it", "."
	}
	return "Do that outside of the static initialiser", ", or have the class initialised before others need it."
}

// initialises reports whether threads that wait for a class of locks wait for the initialisation of a class.
func initialises(class string) bool { return strings.HasPrefix(class, format.Initialisation) }

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
func (f *Finding) Known() float64 { return analysis.Ratio(f.ByProvenance.Right(), f.WaitNs) }

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
