package model

// The constants of the model. Behind each stands its unit, and where the value comes from:
//
//	[M]  measured: README.md has what half and double of it do on logged programs; or, with two
//	     figures, how much half and double change the distance that changes most
//	[T]  from what it means: half or double of it changes no distance by more than .002
//	[P]  from the prototypes, which were tuned on logged programs; not measured since
//	[C]  a bound of cost or of arithmetic, where no recording that is measured comes to

// The chain.
const (
	phases    = 6 // [P] exponentials that the duration of a hold is a mixture of: 2 us, 20 us .. 200 ms
	lagPhases = 3 // [P] the same of free time: 4 us, 160 us, 6.4 ms
	cells     = 6 // [P] steps of the chain through a gap; bounds has their lengths

	shortestHold = 2e3 // ns [P]: the mean of the shortest exponential of holds
	holdStep     = 10  // [P] the mean of each over that of the next shorter one
	shortestLag  = 4e3 // ns [P]: the mean of the shortest exponential of free time
	lagStep      = 40  // [P] as holdStep
)

// Sites and gaps.
const (
	ownSites  = 14 // [P] sites that stand for a path each
	moreSites = 8  // [P] sites that stand for a method each, and as many at which no thread waits

	// waits [T]: a lock with fewer may be acquired at every site of its group, and its gaps share no answer
	fewWaits   = 60
	someGaps   = 2400    // [M] gaps a group learns from, and instants it is checked at
	mixedGaps  = 600     // [C] the same of a group whose other parameters are known by earlier recordings
	leastPart  = 1. / 8  // [M] the part of a gap that has to be due to a state that is charged in it
	leastShare = 0.02    // [M, with unlikely] the part of a gap below which a state is not charged in it at all
	recentLen  = 8       // users [C] of a site that are remembered
	mostShapes = 1 << 13 // shapes [C] of a lock that are kept
	// gaps [M] of a lock that are inferred with all evidence, and at most as many that have most waiting; with 500
	// no distance changes by more than .001
	inferredGaps = 2000
	fewOfStratum = 4   // [C] gaps of a stratum that are inferred at least
	batchGaps    = 256 // gaps [C] for which the users' activities are looked up together
	nearGaps     = 8   // [C] how much longer than the gaps before it the time to the next one may be, in a batch
)

// Evidence.
const (
	onPath   = 5.0   // natural logarithm [M] of how much likelier a thread is on a site's path if it is inside
	slack    = 20000 // ns [T]: clocks of events differ by this much; a sample stands for as long
	unlikely = 0.02  // [M] the probability that evidence is wrong: what it leaves of a state that it contradicts
	surest   = 1e100 // [C] the most that evidence may say for a state, and one over the most against it
	dumpPath = 3000  // [M] how much likelier a dump's owner is on the path of its site than elsewhere
	// [M] the share of a site's uses by unknown threads, or of a lock's uses at a site where no thread waited for it
	nobodyKnown = 0.005
)

// Learning. Pseudo-counts are events that a parameter is estimated with besides those seen.
const (
	rounds  = 4    // [M] of expectation maximisation
	usual   = 2e6  // ns [M]: a hold, and the time until a free lock is entered, before anything is learned
	lagFall = 0.36 // [M] the pseudo-count of a lag phase over that of the next shorter one; the shortest has one

	holdFall     = 0.7  // [M] a hold holdFallStep times as long or as short as the usual one is so much rarer, at first
	holdFallStep = 4    // [M]
	holdCounts   = 2    // [M] pseudo-counts: holds of a site, as those of its group last
	phaseCounts  = 0.3  // [P] the same: holds of the group in each phase
	groupCounts  = 5    // [P] the same: uses of a lock, distributed as those of its group, at first
	anyCounts    = 0.01 // [P] the same: uses of a lock at each site, at first
	mixCounts    = 0.05 // [M] the same: uses of a lock at each of its sites, afterwards
	entryCounts  = 0.5  // [P] the same: entries without a wait, each after the usual free time
	slowestEntry = 1e9  // ns [C]: the longest mean time until a free lock is entered
)

// The check.
const (
	fitRounds     = 40    // [T] of iterative scaling
	checkCounts   = 10    // [M] pseudo-counts: instants that showed what the model says
	fewInstants   = 4     // instants [M]: a group with fewer is not corrected
	fewCompared   = 3     // instants [M]: the same of those that tell sites apart, or held from free
	saidAtLeast   = 0.002 // [M] the probability that is added to each state at an instant: what is shown is possible
	largestFactor = 1e3   // [C] a factor, and one over the smallest
)

// The survey.
const (
	surveyCounts = 20  // instants [T] that the model counts as; 10 and 80 change no distance by more than .004
	fewSurveyed  = 20  // instants [C]: fewer halves judge nothing
	surveyedGaps = 600 // gaps [C] of a lock from which the shares that the model charges are known
)

// What fewer instants leave to the model's own word.
const (
	// [M] What was right of what the model said was, on programs that logged their locks.
	reached = 0.85
	// [M] The part of a wait's time that its estimated beginning makes doubtful.
	doubtful = 0.5
)

// Silent sites: how far an activity or a sample has to speak for one.
const (
	// locks [C] of a group whose previous owners are looked at
	previousLocks = 40

	busyLocks   = 8     // locks [C] of a group that are searched
	minSearched = 2e6   // ns [C]: locks with less waiting are not: of 100,000 locks nearly all have less
	minShare    = 100   // [C] nor those with less than this fraction of the largest's, nor activities that are as rare
	mostSamples = 20000 // samples [C] of a lock that are looked at; every second, third .. of more
	silentNats  = 14    // natural logarithm [M] of how much likelier the observations are inside a section
	promptly    = 1e6   // ns [T]: a lock that is acquired within it was released by what ended

	// [M 0 .008] An activity counts if threads wait in this part of it and no known site explains
	// that. Double: an activity that is half explained no longer names the owner.
	uncovered = 0.3
	// An activity is broken if another thread gets the lock in its course.
	// [M 0 .004] It is not inside if it is broken this part as often as by chance,
	brokenShare = 0.2
	// [M 0 0] which counts as breaking this part of its times at least.
	brokenPerTime = 0.25
	// [M 0 -.005] On a known path it is inside if it is broken less than this part as often as by chance,
	brokenInside = 0.7
	// [M 0 -.005] and so many times more.
	brokenByChance = 0.8

	// [M 0 0] What happens at the ends of an activity counts if threads wait at so many of them.
	fewEndings = 5
	// [M 0 0] The probability that the lock is acquired promptly after an activity inside. If the
	// threads are idle, more of the ends than this have to be prompt.
	promptInside = 0.6
	// [M 0 0] An activity is not inside if no more of its ends are prompt than this part of what
	// chance has. Half: of 66 predictions of what-if for simulated programs, 56 are narrow, not 61.
	slowerBy = 0.8

	promptLeast  = 0.02 // [M, with unlikely] the least probability of a prompt end by chance,
	promptChance = 0.95 // [C] and the largest mean of it: neither logarithm is infinite
	worstPrompt  = -4.  // natural logarithm [C]: the most that promptness may say against a silent site

	// [M 0 0] A part of the program is inside if the odds of its samples are so much larger while
	// threads wait.
	sampledOdds = 3
	// [M 0 0] So many samples count as one use of a silent site, beside the uses of known ones.
	samplesPerUse = 10

	overlapping = 1.3 // [T] the sum of all holds of permits over their union, from which on threads share permits
)
