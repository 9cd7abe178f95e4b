package document

import "contend/blame/findings"

// The kinds of findings, and the confidence, that renderers treat specially.
const (
	KindDeadlock       = findings.Deadlock
	KindPolling        = findings.Polling
	KindBlockedHolding = findings.BlockedHolding
	KindStarvation     = findings.Starvation

	HighConfidence = findings.High
)

// Finding is one thing to fix.
type Finding struct {
	Kind  findings.Kind `json:"kind"`
	Title string        `json:"title"` // see Titled
	Lock  string        `json:"lock"`  // that threads wait for
	Class string        `json:"class"` // of that lock
	// of that class and site with this finding, if several; Lock is the one with most waiting
	Locks    int    `json:"locks,omitempty"`
	LockSite string `json:"lockSite,omitempty"` // the place by which a reader knows it
	Owner    string `json:"owner,omitempty"`    // the site that acquired it
	// of BlockedHolding: the lock at the end of most chains of waits
	Root       string              `json:"root,omitempty"`
	Site       string              `json:"site,omitempty"`     // of findings without an owner: the site of the waiters
	Thread     string              `json:"thread,omitempty"`   // of Starvation: the starved thread
	Evidence   string              `json:"evidence,omitempty"` // in words; "" if kind and owner say it
	Deadlock   int                 `json:"deadlock,omitempty"` // its number among deadlocks, from 1
	Threads    int                 `json:"threads,omitempty"`  // in a deadlock and behind it
	WaitNs     int64               `json:"waitNs"`
	Share      float64             `json:"share"` // of all waiting of its kind
	Confidence findings.Confidence `json:"confidence"`
	Provenance Provenance          `json:"provenance"`
	Remedy     string              `json:"remedy"` // see Fix
}

func newFinding(f *findings.Finding) Finding {
	return Finding{
		Kind:       f.Kind,
		Title:      f.Title,
		Lock:       f.Lock,
		Class:      f.Class,
		Locks:      f.Locks,
		LockSite:   f.LockSite,
		Owner:      f.Owner,
		Root:       f.Root,
		Site:       f.Site,
		Thread:     f.Thread,
		Evidence:   f.Evidence,
		Deadlock:   f.Deadlock,
		Threads:    f.Threads,
		WaitNs:     f.WaitNs,
		Share:      f.Share,
		Confidence: f.Confidence,
		Provenance: NewProvenance(f.ByProvenance),
		Remedy:     f.Remedy,
	}
}

// Titled returns the title with names for the locks, see findings.Kind.
func (f *Finding) Titled(lock, other string) string { return f.Kind.Titled(f.Class, lock, other) }

// Fix returns what to do, without the details and alternatives that the remedy has.
func (f *Finding) Fix() string { return f.Kind.Fix(f.Class) }
