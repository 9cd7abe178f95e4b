package document

import (
	"strings"

	"contend/analysis"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
)

// LockOwner is one place in the program whose threads had a lock while others
// waited for it, or a pseudo owner.
type LockOwner struct {
	Site    string    `json:"site"`         // class.method:line that took the lock; [handoff] and the like are no places
	In      bool      `json:"in,omitempty"` // Site is where the owner was: where it took the lock is not known
	WaitNs  int64     `json:"waitNs"`
	Share   float64   `json:"share"`   // of the waiting for the lock
	Callers []Callers `json:"callers"` // by waiting; none for a pseudo owner, or where nothing of the program called it
	Doing   []Doing   `json:"doing"`   // by waiting; none for a pseudo owner

	Provenance Provenance `json:"provenance"`
}

// Doing is what an owner was at while others waited.
type Doing struct {
	What   string `json:"what"` // asleep, in file I/O, in socket I/O, in I/O, waiting, on CPU, blocked, stopped by a garbage collection, stopped by a pause of the JVM, running or unknown
	Class  string `json:"class,omitempty"`
	WaitNs int64  `json:"waitNs"`
}

// What documents list as package locks sums it up.
type (
	Callers     = locks.Callers     // the program's own frames around a site, innermost first
	Site        = locks.Site        // a place in the program where threads wait for a lock
	NonLockWait = locks.NonLockWait // waiting that is no contention for a lock
)

// The kinds of findings, and the confidence, that renderers treat apart.
var (
	KindDeadlock, KindPolling, KindBlockedHolding, KindStarvation = findings.Deadlock.String(), findings.Polling.String(), findings.BlockedHolding.String(), findings.Starvation.String()

	HighConfidence = findings.High.String()
)

// Finding is one thing to fix.
type Finding struct {
	Kind       string     `json:"kind"`
	Title      string     `json:"title"`
	Lock       string     `json:"lock"`
	Class      string     `json:"class"`
	LockSite   string     `json:"lockSite,omitempty"` // where the lock was made, or, where that is not recorded, is mostly taken
	Owner      string     `json:"owner,omitempty"`    // the site that took the lock
	Root       string     `json:"root,omitempty"`     // the lock at the end of the chain of waits
	Site       string     `json:"site,omitempty"`     // of findings about no owner: where threads wait
	Thread     string     `json:"thread,omitempty"`   // the one that is meant, where not all that wait are
	Evidence   string     `json:"evidence,omitempty"` // what it rests on, in words
	Deadlock   int        `json:"deadlock,omitempty"` // number among deadlocks
	Threads    int        `json:"threads,omitempty"`  // in the deadlock and behind it
	WaitNs     int64      `json:"waitNs"`
	Share      float64    `json:"share"` // of all waiting
	Confidence string     `json:"confidence"`
	Provenance Provenance `json:"provenance"`
	Remedy     string     `json:"remedy"`
}

// Overview is what NewAnalyze makes the first screen of.
type Overview struct {
	Locks    []locks.Lock
	Rest     []locks.Lock // that Locks leaves out, where it is asked for
	Findings []findings.Finding
	Phases   *csp.Series
	Took     func(format.StackID, format.ObjectID) string // where a thread with a stack took a lock that it holds, "" where that is not known
}

// uncounted are the codes of warnings about waiting that the totals leave out,
// first those that may hide the most.
var uncounted = []string{
	format.CodeNotRecorded, format.CodeBlind, format.CodeLostData, format.CodeTruncated, format.CodeDamagedSource,
	format.CodeVirtualThreads, format.CodeUnlistedThreads, format.CodeThreshold, format.CodeUnclassified,
	format.CodeMinWait, format.CodeCensored, format.CodeReEntry, format.CodeUnseenPolling,
}

// notCounted returns the warnings about waiting that the totals leave out.
func notCounted(all []format.Warning) []format.Warning {
	out := []format.Warning{}
	for _, code := range uncounted {
		for _, w := range all {
			if w.Code == code {
				out = append(out, w)
			}
		}
	}
	return out
}

// owners converts the owners of a lock; top limits them, 0 means all.
func owners(l *locks.Lock, top int) []LockOwner {
	out := []LockOwner{}
	for _, o := range limit(l.Owners, top) {
		d := LockOwner{Site: o.Site, In: o.In, WaitNs: o.WaitNs, Share: ratio(o.WaitNs, l.WaitNs), Callers: []Callers{}, Doing: []Doing{}, Provenance: NewProvenance(o.ByProvenance)}
		for _, c := range limit(o.Callers, top) {
			d.Callers = append(d.Callers, Callers{Sites: strings.Split(c.Text, " < "), WaitNs: c.WaitNs})
		}
		for _, a := range o.Doings {
			d.Doing = append(d.Doing, Doing{a.What.String(), a.Class, a.WaitNs})
		}
		out = append(out, d)
	}
	return out
}

// newFindings converts findings.
func newFindings(list []findings.Finding, locks []locks.Lock) []Finding {
	out, at := []Finding{}, map[string]int{}
	for i := range locks {
		if _, known := at[locks[i].Name]; !known {
			at[locks[i].Name] = i
		}
	}
	for _, f := range list {
		d := Finding{Kind: f.Kind.String(), Title: f.Title(), Lock: f.Lock, Class: f.Class, Owner: f.Owner, Root: f.Root, Site: f.Site, Thread: f.Thread, Evidence: f.Evidence, Deadlock: f.Number, Threads: f.Threads,
			WaitNs: f.WaitNs, Share: f.Share, Confidence: f.Confidence.String(), Provenance: NewProvenance(f.ByProvenance), Remedy: f.Remedy()}
		if i, known := at[f.Lock]; known {
			d.LockSite = locks[i].Site
		}
		out = append(out, d)
	}
	return out
}

// waitingThreads is how many threads waited on average; 0 where the trace has no
// time.
func waitingThreads(t *analysis.Trace, cov Coverage, waitNs int64) float64 {
	if !cov.Timed() {
		return 0
	}
	return ratio(waitNs, t.ElapsedNs)
}
