// Package model infers which thread held a lock, and where, while others waited for it, from a
// recording that has the waits, but neither holds nor releases.
//
// The model in ten sentences; the papers are below.
//
//  1. A group is the locks of one class in one recording; they share sites and parameters, and what earlier recordings
//     of the program taught of these.
//  2. A site is a call path at which locks of the group are acquired; a silent site is one at
//     which no thread was ever recorded waiting.
//  3. The waiting for a lock, cut at its recorded acquisitions, is a list of gaps.
//  4. In a gap the lock is held by the thread that acquired it at the beginning, then free, then
//     perhaps held at a site and free again, any number of times; at the end it is free.
//  5. The durations of holds and of free time are mixtures of exponentials, so these states are
//     those of a Markov chain (a hidden semi-Markov model with its states expanded: Yu).
//  6. A gap is divided into six cells, each one implicit Euler step of the chain (Ross).
//  7. Where the previous owner of an acquisition is recorded, it alone enters in the gap before, and the last
//     part of the gap is its own, unless it is the acquirer of the beginning; what users of the lock do,
//     samples, dumps and other waits become a likelihood of each state in each cell, and the share of each
//     site's users that could enter it.
//  8. A forward and a backward pass give the posterior, which is the probability of each state in
//     each cell (Rabiner), and expectation maximisation sets the parameters (Asmussen).
//  9. Instants of dumps and samples are inferred without them, and factors make the model name
//     each site, and free, as often as these show it.
//  10. Each state is charged its posterior times the waiting, and next to that its share in n dumps, which are a
//     survey of the waiting, with weight n / (n + 20); a site is named with a user that does not wait for the
//     lock then. Of many gaps a sample is inferred; the others are charged as those like them.
//
// It assumes one holder at a time, but for readers, and for permits that threads held together.
//
// Fit goes through the stages up to the check, then Answer and Why may be called as often as
// wanted. The stages, in order, each with its file and all that it writes:
//
//	doc.go        this page
//	sites.go      the paths that acquire locks           Group.sites, byKey; waits and times of Lock
//	stacks.go     the sites of a group in stacks         nothing of the group
//	previous.go   sites of recorded previous owners      the same, by addSilent; users of sites
//	silent.go     silent sites, placeless activities     Group.sites, placed, silentUsers; Lock.permits
//	coherence.go  silent sites by what threads do        the same, by addSilent
//	sampled.go    silent sites by samples                the same, by addSilent
//	users.go      waits of one lock in order, its users  worker.lock and its Waits; worker.recent
//	gaps.go       its gaps                               worker.batch
//	observer.go   what users do in them                  gap.seen, gap.blocked
//	evidence.go   the likelihoods of a gap               worker.evidence
//	lumps.go      sites that are one state               worker.chain
//	chain.go      the two passes                         worker.chain; a posterior, or counts
//	learn.go      the parameters, from counts            site.holds; Group.lags, entry, counts; Lock.mix, uses
//	check.go      the factors                            Group.factor; Lock.Seen
//	survey.go     what instants show of each lock        Lock.survey
//	answer.go     the charges and the threads            nothing of the group
//	placed.go     the charges of gaps by their stratum   answer.strata
//	why.go        the same with evidence kind by kind    nothing of the group
//
// worker.go connects the stages from users.go to chain.go, and lets gaps whose evidence is alike
// share a posterior. program.go is what is given, table.go the constants; README.md measures both.
//
// L. Rabiner, Proc. IEEE 77, 1989. S.-Z. Yu, Artificial Intelligence 174, 2010. S. Ross, Probab.
// Engrg. Inform. Sci. 1, 1987. S. Asmussen, O. Nerman, M. Olsson, Scand. J. Statist. 23, 1996.
package model
