package format

// The codes of warnings, stable for machines. report/README.md describes them.
const (
	CodeLostData         = "lost-data"         // part of the input is damaged and was not read
	CodeTruncated        = "truncated"         // the input ends early
	CodeUnfinished       = "unfinished"        // the recorder did not finish: the input ends with what it wrote last
	CodeSingleDump       = "single-dump"       // one thread dump counts threads and has no durations
	CodeNoTimes          = "no-times"          // the thread dumps have no times: they count waiting threads
	CodeNotOneInstant    = "not-one-instant"   // a thread dump shows threads at different instants
	CodeSeveralProcesses = "several-processes" // dumps of several processes are treated as one, or follow each other
	CodeClock            = "clock"             // times were corrected or are doubtful
	CodeUnlistedOwners   = "unlisted-owners"   // a dump omits owners, or threads that may be owners
	CodeAbsentOwners     = "absent-owners"     // owners that the input names, and whose threads it does not show
	CodeReaders          = "readers"           // waits for read-write locks held by threads that the dump does not show
	// a garbage collector moved locks between thread dumps; they were followed
	CodeMoved         = "moved"
	CodeCountsOnly    = "counts-only"    // the input counts contended acquisitions without times or owners
	CodeSkipped       = "skipped"        // a file of a folder is not a trace
	CodeThreshold     = "threshold"      // waits below a threshold are not recorded
	CodeNotRecorded   = "not-recorded"   // the recorder was set to omit all waits of a kind
	CodeDamagedSource = "damaged-source" // the trace is intact, but was made from a damaged input
	CodeUnlinked      = "unlinked"       // thread dumps show contended locks that match no recorded wait
	CodeStalls        = "stalls"         // the sampler was late for more than 5 % of the recording
	CodeFewerSamples  = "fewer-samples"  // the recorder took fewer samples than requested
	// locks are distinguished by call sites, because the input does not name them
	CodeIdentity        = "identity"
	CodeScheduling      = "scheduling"       // how much of the waiting passed between waking and running
	CodeNoOwners        = "no-owners"        // the input never shows the owner of a lock
	CodeEpoch           = "epoch"            // the trace has no time of day
	CodeMinWait         = "min-wait"         // waits were sampled: --min-wait omits none of them
	CodeMixed           = "mixed"            // sampled and exact traces are read together
	CodeFollowed        = "followed"         // an agent followed locks later, or saw too little of their waiting
	CodeCensored        = "censored"         // waits extend into intervals with lost data
	CodeWildTimes       = "wild-times"       // events with impossible times are left out
	CodeOverflow        = "overflow"         // all threads together ran for more than 292 years: the sums are wrong
	CodeFailed          = "failed"           // waits that ended without the lock, by a timeout
	CodeUnclassified    = "unclassified"     // waits match no rule; they count as idle
	CodeVirtualThreads  = "virtual-threads"  // waits of virtual threads, or those for monitors, are not recorded
	CodeUnlistedThreads = "unlisted-threads" // virtual threads may run, which the thread dump does not list
	CodeDeadlock        = "deadlock"         // the Go runtime found a deadlock
	CodeBlind           = "blind"            // no wait is recorded, nor would be a deadlock
	CodeUnseenPolling   = "unseen-polling"   // threads that spin or sleep for a lock would not be recorded
	CodeDeclaredSites   = "declared-sites"   // waits at declared sites are estimated from samples
	CodeReEntry         = "re-entry"         // the time to re-acquire locks after Object.wait and await is estimated
	CodeSaturated       = "saturated"        // no processor was idle in a fifth of the samples or more
	CodeTruncatedStacks = "truncated-stacks" // the recorder cut stacks off before their outermost frame
	CodeUnnamed         = "unnamed"          // the recording lacks names of frames; no event is missing
	CodeJoinedLocks     = "joined-locks"     // a garbage collection moved locks: several addresses are one lock here
	CodeMovedLocks      = "moved-locks"      // locks that may be others which a garbage collection moved
	CodeOverlap         = "overlap"          // inputs repeat each other: common events count once
	CodeScaled          = "scaled"           // samples are scaled to the blocked time that the JVM measured
	CodeInterrupted     = "interrupted"      // Ctrl-C ended the reading: the rest is not counted
	CodeUnlistedLocks   = "unlisted-locks"   // the thread dump names no locks, except in deadlocks
	CodeLines           = "lines"            // lines of the text are not events of perf script
	CodeEvents          = "events"           // events of kinds that are not read
	CodeFar             = "far"              // chains of more than 32 locks: the root of their waiting is unknown
	CodeUnended         = "unended"          // the begin or end of waits is missing
	CodeProcess         = "process"          // the text names no processes: locks are known by address alone
	CodeStacks          = "stacks"           // waits without call chains
	CodePython          = "python"           // Python functions are missing in the stacks
	CodeSpinning        = "spinning"         // waits that ended while spinning leave no event and are missing
	CodeKernel          = "kernel"           // only the waiters of kernel locks are known
	CodeByWaiter        = "by-waiter"        // the input has the stacks of waiters, and no owners
	CodeLikelyDeadlock  = "likely-deadlock"  // stacks have the shape of a deadlock; the owners are not known
	CodeNotLocks        = "not-locks"        // a part of the profile is waiting for channels, conditions and the like
	CodeUnseenSites     = "unseen-sites"     // no input shows whether threads wait at declared sites
)
