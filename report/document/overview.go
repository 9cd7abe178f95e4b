package document

import (
	"contend/analysis"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
)

// The parts of the document that are types of packages locks and findings.
type (
	LockOwner   = locks.Owner       // a place whose threads held a lock while others waited for it, or a pseudo owner
	Doing       = locks.Doing       // an activity of such threads
	Callers     = locks.Callers     // the program's own frames around a site, innermost first
	Site        = locks.Site        // a place in the program where threads wait for a lock
	NonLockWait = locks.NonLockWait // waiting that is no contention for a lock
	Finding     = findings.Finding  // one thing to fix
)

// The kinds of findings, and the confidence, that renderers treat specially.
const (
	KindDeadlock       = findings.Deadlock
	KindPolling        = findings.Polling
	KindBlockedHolding = findings.BlockedHolding
	KindStarvation     = findings.Starvation

	HighConfidence = findings.High
)

// Overview is the input of NewAnalyze for the first screen.
type Overview struct {
	Locks    []locks.Lock
	Rest     []locks.Lock // the locks beyond Locks, if needed
	Findings []findings.Finding
	Phases   *csp.Series
	// the acquisition site of a lock that a thread with a stack holds, "" if unknown
	Took func(format.StackID, format.ObjectID) string
}

// uncounted are the codes of warnings about waits outside of the totals, those that may hide the most
// first.
var uncounted = []string{
	format.CodeNotRecorded, format.CodeBlind, format.CodeLostData, format.CodeTruncated, format.CodeDamagedSource,
	format.CodeUnfinished,
	format.CodeNotLocks,
	format.CodeVirtualThreads, format.CodeUnlistedThreads, format.CodeThreshold, format.CodeUnclassified,
	format.CodeMinWait, format.CodeCensored, format.CodeReEntry, format.CodeUnseenPolling,
}

// notCounted returns the warnings about waits outside of the totals.
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

// limitOwners limits the owners of a lock, and the callers of each; 0 means all.
func limitOwners(list []LockOwner, top int) []LockOwner {
	out := append([]LockOwner{}, limit(list, top)...)
	for i := range out {
		out[i].Callers, out[i].Threads = limit(out[i].Callers, top), limit(out[i].Threads, top)
	}
	return out
}

// waitingThreads returns the average number of waiting threads; 0 if the trace has no time.
func waitingThreads(t *analysis.Trace, cov Coverage, waitNs int64) float64 {
	if !cov.Timed() {
		return 0
	}
	return analysis.Ratio(waitNs, t.ElapsedNs)
}
