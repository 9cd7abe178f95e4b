package document

import (
	"contend/analysis"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"
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
func notCounted(all []Warning) []Warning {
	out := []Warning{}
	for _, code := range uncounted {
		for _, w := range all {
			if w.Code == code {
				out = append(out, w)
			}
		}
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
