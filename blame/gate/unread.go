package gate

import (
	"slices"

	"contend/format"
)

// hidden is what a warning says may be missing: the rules about it cannot be decided.
type hidden uint8

// The parts of an answer that may be missing.
const (
	hidesDeadlocks hidden = 1 << iota // threads, locks or owners of a thread dump
	hidesWaiting                      // waits, or events that they are made of
	hidesLengths                      // how long waits were
	hidesFindings                     // what owners did
	hidesNames                        // what methods are called

	hidesNothing hidden = 0
	hidesAll            = hidesDeadlocks | hidesWaiting | hidesLengths | hidesFindings | hidesNames
)

// hiding says of each code of a warning what may be missing. Those of waits that have an upper bound
// (Warning.Hidden), of thresholds and of settings hide nothing here: other doubts weigh them.
var hiding = map[string]hidden{
	format.CodeLostData:      hidesAll,
	format.CodeTruncated:     hidesAll,
	format.CodeUnfinished:    hidesAll,
	format.CodeDamagedSource: hidesAll,
	format.CodeInterrupted:   hidesAll,
	format.CodeWildTimes:     hidesAll,
	format.CodeLines:         hidesAll,
	format.CodeOverflow:      hidesAll,

	format.CodeUnlistedOwners:  hidesDeadlocks | hidesFindings,
	format.CodeUnlistedLocks:   hidesDeadlocks | hidesFindings,
	format.CodeUnlistedThreads: hidesDeadlocks,
	format.CodeAbsentOwners:    hidesDeadlocks | hidesFindings,
	format.CodeReaders:         hidesDeadlocks,
	format.CodeLikelyDeadlock:  hidesDeadlocks | hidesFindings,
	format.CodeBlind:           hidesDeadlocks,
	format.CodeNoOwners:        hidesDeadlocks,
	format.CodeByWaiter:        hidesDeadlocks,

	format.CodeUnnamed:  hidesNames,
	format.CodeUnended:  hidesLengths,
	format.CodeUnlinked: hidesFindings, // other doubts say what it means for shares and lengths

	format.CodeSingleDump:       hidesNothing, // its unit is no time
	format.CodeNoTimes:          hidesNothing,
	format.CodeNotOneInstant:    hidesNothing, // threads in a deadlock stay in it
	format.CodeSeveralProcesses: hidesNothing,
	format.CodeClock:            hidesNothing,
	format.CodeMoved:            hidesNothing,
	format.CodeCountsOnly:       hidesNothing, // its unit is no time
	format.CodeSkipped:          hidesNothing, // it is damage if the answer lacks the file
	format.CodeThreshold:        hidesNothing, // see tooShort, longThreshold
	format.CodeNotRecorded:      hidesNothing, // see unrecorded
	format.CodeStalls:           hidesNothing, // samples count for the time between them
	format.CodeFewerSamples:     hidesNothing, // see fewSamples
	format.CodeFollowed:         hidesNothing, // owners are inferred instead
	format.CodeIdentity:         hidesNothing,
	format.CodeScheduling:       hidesNothing,
	format.CodeEpoch:            hidesNothing,
	format.CodeMinWait:          hidesNothing,
	format.CodeMixed:            hidesNothing,
	format.CodeCensored:         hidesNothing, // it comes with damage
	format.CodeFailed:           hidesNothing,
	format.CodeUnclassified:     hidesNothing, // it has a bound
	format.CodeVirtualThreads:   hidesNothing, // see unbounded, bounded
	format.CodeDeadlock:         hidesNothing, // it breaks the rule
	format.CodeUnseenPolling:    hidesNothing, // see unseenPolling
	format.CodeDeclaredSites:    hidesNothing,
	format.CodeReEntry:          hidesNothing, // it has a bound
	format.CodeSaturated:        hidesNothing,
	format.CodeTruncatedStacks:  hidesNothing,
	format.CodeJoinedLocks:      hidesNothing,
	format.CodeMovedLocks:       hidesNothing,
	format.CodeOverlap:          hidesNothing,
	format.CodeScaled:           hidesNothing,
	format.CodeEvents:           hidesNothing, // of kinds that are not about locks
	format.CodeFar:              hidesNothing, // their direct owners are known
	format.CodeProcess:          hidesNothing,
	format.CodeStacks:           hidesNothing,
	format.CodePython:           hidesNothing,
	format.CodeSpinning:         hidesNothing, // README: perf sees what sleeps
	format.CodeKernel:           hidesNothing,
	format.CodeNotLocks:         hidesNothing,
	format.CodeUnseenSites:      hidesNothing, // see unbounded
}

// unread returns a doubt if a part of the input that may break the rule was not read or not shown.
func unread(r *Rule, _ *Subject, run *Run) Doubt {
	all := run.warnings()
	i := slices.IndexFunc(all, func(w format.Warning) bool { return hiding[w.Code]&r.about() != 0 })
	if i < 0 {
		return Doubt{}
	}
	return Doubt{all[i].Text, all[i].Hint}
}

// about returns the part of an answer that a rule measures.
func (r *Rule) about() hidden {
	switch m := r.metric; {
	case m.name == "deadlock":
		return hidesDeadlocks
	case m.name == "finding" && r.namesDeadlock():
		return hidesFindings | hidesNames | hidesDeadlocks
	case m.name == "finding":
		return hidesFindings | hidesNames
	case m.unit == Ns:
		return hidesLengths
	case m.name == "blame" && r.subject != Total:
		return hidesWaiting | hidesNames
	}
	return hidesWaiting
}
