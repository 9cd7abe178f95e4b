package model

// The constants of the model. README.md has the table of what each means, where it is
// from, and what half and double of it do.
const (
	phases      = 6 // of how long a site holds: exponentials of 2 us, 20 us .. 200 ms
	lagPhases   = 3 // of how long a lock is free: 4 us, 160 us, 6.4 ms
	cells       = 6 // of a gap
	ownSites    = 14
	methodSites = 8
	silentSites = 10

	shortestHold = 2e3 // ns
	holdStep     = 10
	shortestLag  = 4e3 // ns
	lagStep      = 40

	rounds    = 4   // of learning
	roundGaps = 600 // gaps a class in each
	checked   = 600 // instants a class
	fewWaits  = 60  // a lock with fewer may be taken at every site of its class

	onPath      = 5.0   // log of how much likelier a thread on a site's path is if it is inside
	instant     = 20000 // a sample stands for so long on both sides, ns
	slack       = 20000 // clocks of events differ by so much, ns
	elsewhere   = 0.02  // an acquirer that is seen elsewhere still holds the lock
	dumpPath    = 3000  // a dump's owner on the path of the site
	dumpMethod  = 300   // or in its method
	dumpFree    = 30    // a dump shows the lock free
	dumpHeld    = 0.02  // or held
	nobodyKnown = 0.005 // users of a site that nothing is known of

	usualEntry = 2e6   // ns until a free lock is entered, before anything is learned
	usualHold  = 512e3 // ns, the same
	lagFall    = 0.36  // each lag phase is so much rarer than the shorter one, the same
	holdCounts = 2     // holds of the class that a site's are thought with
	lagCounts  = 0.5
	mixCounts  = 0.05
	hardly     = 1e-5 // of a site at which nobody waited for a lock that many waited for

	methodCounts = 6 // instants that have shown what is said, when methods are corrected
	siteCounts   = 20
	freeCounts   = 10
	fitRounds    = 40

	leastShare = 1. / 50 // of a gap that a state is named in
	leastPart  = 1. / 8  // of a gap that is charged alone

	busyLocks    = 8     // of a class that silent sites are looked for at
	leastWaiting = 2e6   // ns; a lock with less is not looked at
	promptly     = 1e6   // ns
	silentBits   = 7     // a deed must be so much likelier inside, as a natural logarithm
	sampleBits   = 6     // and what is sampled
	samplePeriod = 20e6  // ns
	mostSamples  = 20000 // that are looked at

	mostlyAlone = 0.7 // of the samples while somebody waits
	leastAlone  = 10  // samples
)
