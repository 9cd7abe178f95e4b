package model

// The constants of the model. README.md has the table of what each means, where it is
// from, and what half and double of it do.
const (
	phases    = 6 // of how long a site holds: exponentials of 2 us, 20 us .. 200 ms
	lagPhases = 3 // of how long a lock is free: 4 us, 160 us, 6.4 ms
	cells     = 6 // of a gap
	ownSites  = 14
	moreSites = 8 // that stand for a method each, and as many at which nobody waits

	shortestHold = 2e3 // ns
	holdStep     = 10
	shortestLag  = 4e3 // ns
	lagStep      = 40

	rounds    = 4    // of learning
	someGaps  = 2400 // gaps a class, and instants in the check
	fitRounds = 40   // of the check
	fewWaits  = 60   // a lock with fewer may be taken at every site of its class

	onPath      = 5.0   // log of how much likelier a thread on a site's path is if it is inside
	slack       = 20000 // clocks of events differ by so much, ns; a sample stands for as long
	unlikely    = 0.02  // that evidence is wrong; a state that is no likelier is not named in a gap
	dumpPath    = 3000  // a dump's owner on the path of the site
	nobodyKnown = 0.005 // uses of a site by threads that nothing is known of, or of a lock nobody waited for there

	usual       = 2e6  // ns: holds and free time, before anything is learned
	lagFall     = 0.36 // each lag phase is so much rarer than the shorter one, the same
	holdCounts  = 2    // holds of the class that a site's are thought with
	mixCounts   = 0.05
	checkCounts = 10 // instants that have shown what is said, when the check corrects

	leastPart = 1. / 8 // of a gap that is charged alone

	busyLocks   = 8     // of a class that silent sites are looked for at
	promptly    = 1e6   // ns
	silentBits  = 14    // an activity or sample must be so much likelier inside, as a natural logarithm
	mostSamples = 20000 // that are looked at
	overlapping = 1.3   // of how long all together held permits and any did
)
