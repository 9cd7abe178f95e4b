// Package model infers which thread held a lock, and where, while others waited for it.
//
// A recording says when threads waited for a lock and when they acquired it. It says nothing
// of acquisitions without a wait, of releases, or of when the lock was free. The package
// fills that in with a hidden Markov model of each lock, learned from the recording at hand.
//
// Given are, by Program and Lock, the waits for the locks of one group, what threads did and
// where they were sampled, and thread dumps. Asked is, for each instant of the waiting, whether
// the lock was free or held, at which site, by which thread, and with what probability.
//
//  1. Sites (sites.go). A site is a call path at which locks of the group are acquired. The
//     paths of waits and of owners in dumps are sites. So are, as silent sites (silent.go,
//     coherence.go, sampled.go), paths on which no thread waits but whose activities and samples
//     fit a thread that holds the lock. All locks of a group share sites and parameters, but each has
//     its own mixture of sites.
//  2. Gaps (gaps.go). The waiting for a lock is cut at the recorded acquisitions. In a gap
//     the lock is held by the thread that acquired it at the beginning, then free, then perhaps
//     held at a site and free again, any number of times. It is free at the end, where the next
//     acquisition is.
//  3. Evidence (observer.go, evidence.go). A gap is divided into six cells. What users of
//     the lock do there, samples, dumps and other waits become a likelihood of each state in
//     each cell, and the share of each site's users that could enter it.
//  4. Inference (chain.go, lumps.go). The durations of holds and of free time are mixtures of
//     exponentials, so that the states are those of a Markov chain. A forward and a backward
//     pass give the posterior, which is the probability of each state in each cell.
//  5. Shapes (worker.go). Gaps whose evidence is alike share one posterior.
//  6. Learning (learn.go). Expectation maximisation sets the parameters, which are how long
//     each site holds the lock, how long the lock is free, how often a free lock is acquired without
//     a wait, and the mixture of each lock.
//  7. Check (check.go). Instants of dumps and samples are inferred once more without
//     them. Factors make the model name each site, and free, as often as these show it.
//  8. Answer (answer.go). Each state is charged its posterior times the waiting. A
//     site is named with a user that does not wait for the lock then.
//  9. Why (why.go). The same, with the evidence added kind by kind, in bits.
//
// NewGroup, Silent, Learn and Check do steps 1, 6 and 7, in this order; Answer and Why may be
// called after them. All work through the gaps by a worker (worker.go), which owns the machines
// of steps 2 to 5 and the lock at hand (users.go). The constants are in table.go; README.md
// says what they and the kinds of evidence mean.
//
// The package does not use releases: if a trace has them, package owners needs no model. It
// assumes one holder at a time, but for readers and for permits that threads were seen to hold
// together.
//
// References: L. Rabiner, A tutorial on hidden Markov models, Proc. IEEE 77, 1989 (steps 4 and
// 6). S.-Z. Yu, Hidden semi-Markov models, Artificial Intelligence 174, 2010 (durations as
// states). S. Asmussen, O. Nerman, M. Olsson, Fitting phase-type distributions via the EM
// algorithm, Scand. J. Statist. 23, 1996 (step 6). S. Ross, Approximating transition
// probabilities and mean occupation times in continuous-time Markov chains, Probab. Engrg.
// Inform. Sci. 1, 1987 (the cells).
package model
