package document

import (
	"contend/analysis"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
)

// What documents list as packages locks and findings sum it up.
type (
	LockOwner   = locks.Owner       // a place whose threads held a lock while others waited for it, or a pseudo owner
	Doing       = locks.Doing       // an activity of such threads
	Callers     = locks.Callers     // the program's own frames around a site, innermost first
	Site        = locks.Site        // a place in the program where threads wait for a lock
	NonLockWait = locks.NonLockWait // waiting that is no contention for a lock
	Finding     = findings.Finding  // one thing to fix
)

// The kinds of findings, and the confidence, that renderers treat apart.
const (
	KindDeadlock, KindPolling, KindBlockedHolding, KindStarvation = findings.Deadlock, findings.Polling, findings.BlockedHolding, findings.Starvation

	HighConfidence = findings.High
)

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

// limitOwners limits the owners of a lock, and the callers of each; 0 means all.
func limitOwners(list []LockOwner, top int) []LockOwner {
	out := append([]LockOwner{}, limit(list, top)...)
	for i := range out {
		out[i].Callers = limit(out[i].Callers, top)
	}
	return out
}

// waitingThreads is how many threads waited on average; 0 where the trace has no
// time.
func waitingThreads(t *analysis.Trace, cov Coverage, waitNs int64) float64 {
	if !cov.Timed() {
		return 0
	}
	return analysis.Ratio(waitNs, t.ElapsedNs)
}
