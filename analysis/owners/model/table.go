package model

// The constants of the model. README.md says what half and double of the important ones do.

// The chain.
const (
	phases    = 6 // exponentials that the duration of a hold is a mixture of: 2 us, 20 us .. 200 ms
	lagPhases = 3 // the same of free time: 4 us, 160 us, 6.4 ms
	cells     = 6 // steps of the chain through a gap

	shortestHold = 2e3 // ns
	holdStep     = 10
	shortestLag  = 4e3 // ns
	lagStep      = 40
)

// Sites and gaps.
const (
	ownSites  = 14
	moreSites = 8 // sites that stand for a method each, and as many at which no thread waits

	fewWaits   = 60   // a lock with fewer may be acquired at every site of its group, and its gaps share no answer
	someGaps   = 2400 // gaps a group learns from, and instants it is checked at
	leastPart  = 1. / 8
	recentLen  = 8       // users of a site that are remembered
	mostShapes = 1 << 13 // shapes of a lock that are kept
	batchGaps  = 256     // gaps for which the users' activities are looked up together
	nearGaps   = 8       // how much longer than the gaps before it the time to the next one may be, in a batch
)

// Evidence.
const (
	onPath      = 5.0   // log of how much likelier a thread is on a site's path if it is inside
	slack       = 20000 // ns: clocks of events differ by this much; a sample stands for as long
	unlikely    = 0.02  // the probability that evidence is wrong; a state that is no likelier is not named
	surest      = 1e100 // the most that evidence may say for a state, and one over the most against it
	dumpPath    = 3000  // how much likelier a dump's owner is on the path of its site than elsewhere
	nobodyKnown = 0.005 // the share of a site's uses by unknown threads, or of a lock's uses at a site where no thread waited for it
)

// Learning. Pseudo-counts are events that a parameter is estimated with besides those seen.
const (
	rounds  = 4    // of expectation maximisation
	usual   = 2e6  // ns: a hold, and the time until a free lock is entered, before anything is learned
	lagFall = 0.36 // the count of a lag phase, of that of the next shorter one; the shortest has one

	holdFall     = 0.7 // a hold holdFallStep times as long or as short as the usual one is so much rarer, at first
	holdFallStep = 4
	holdCounts   = 2   // holds of a site, as those of its group last
	phaseCounts  = 0.3 // holds of the group in each phase
	groupCounts  = 5   // uses of a lock, distributed as those of its group, at first
	anyCounts    = 0.01
	mixCounts    = 0.05 // uses of a lock at each of its sites
	entryCounts  = 0.5  // entries, each after the usual free time
	slowestEntry = 1e9  // ns
)

// The check.
const (
	fitRounds     = 40
	checkCounts   = 10 // instants that showed what the model says
	fewInstants   = 4  // a group with fewer is not corrected
	fewCompared   = 3  // the same of those that tell sites apart, or held from free
	saidAtLeast   = 0.002
	largestFactor = 1e3
)

// Silent sites: how far an activity or a sample has to speak for one.
const (
	busyLocks   = 8   // locks of a group that are searched
	minSearched = 2e6 // ns: locks with less waiting are not. It bounds cost: of 100,000 locks nearly all have less
	minShare    = 100 // nor those with less than this fraction of the largest's, nor activities that are as rare
	mostSamples = 20000
	silentNats  = 14  // natural logarithm of how much likelier the observations are inside a section
	promptly    = 1e6 // ns: a lock that is acquired within it was released by what ended

	uncovered     = 0.3 // the part of an activity in which threads wait and no known site explains it
	brokenShare   = 0.2 // of the acquisitions expected by chance: an activity that spans more is not inside
	brokenPerTime = 0.25
	coherent      = 0.3 // the part of expected acquisitions that stay away during an activity inside, with
	coherentYes   = 1.4 // this pseudo-count
	coherentAll   = 2   // of these

	fewEndings    = 2   // promptness counts from more on
	promptInside  = 0.6 // the probability that the lock is acquired promptly after an activity inside
	promptChance  = 0.95
	worstPrompt   = -4. // nats
	someEndings   = 8   // from which on an activity is discarded that is followed more slowly than
	slowerBy      = 0.8 // this part of chance
	idleEndings   = 5   // an idle one needs these,
	idlePrompt    = 0.5 // this part of them prompt,
	idleTimes     = 2   // and as many times chance
	sampledOdds   = 3   // how much larger the odds of a sample have to be while threads wait
	samplesPerUse = 10

	overlapping = 1.3 // the sum of all holds of permits over their union, from which on threads share permits
)
