// Package whatif predicts the effect of a change to a program, as a range. A trace with
// holds of locks is replayed with the change: each thread is a program of intervals between
// acquisitions and releases, which keep their lengths, and of waits, which are computed
// anew. The unchanged trace is replayed first; its deviation from the trace widens the
// ranges.
//
// Locks are handed over as in the trace: each wait says for how long the lock was free
// while its thread was next, how many later threads got it first, and how many took it at
// once meanwhile. The replay repeats that for each wait, so without a change it reproduces
// the trace.
//
// The ends of a range are a closed loop, in which a faster thread begins its next round
// sooner, and an open one, in which external events keep their times (Lindley's recursion,
// for each thread). Sleeps keep their length in both. For inferred holds there is a third:
// time in which the lock only seems free shrinks too, by the section's share of other
// waits. Results are compared with the trace, and with the same program after a negligible
// change: the range covers both.
//
// There are as many processors as threads, because a running thread may compute or do
// something that is not recorded. If a recording says that no processor was idle, the
// answer says so.
//
// Inferred holds are first made consistent: no thread holds a lock that it waits for, or
// acquires or releases a lock during a wait for another. If they still do not fit, ranges
// are wider and include no change; if they deadlock, and for samples, there are only
// bounds.
//
//	doc.go       this page
//	whatif.go    the question and the answer
//	predict.go   ranges from replays, and the deviation of these
//	chance.go    differences between two runs of one program
//	parts.go     independent sets of threads and locks
//	replay.go    the replay: threads, locks, waiters
//	queue.go     the events that are due
//	orders.go    locks that threads acquire in a circle of orders
//	program.go   the program of a thread
//	handover.go  acquisitions in the trace
//	permits.go   permits of semaphores
//	settle.go    consistency of inferred holds
//	ceiling.go   operational bounds
//	change.go    changes in terms of a trace
//	sections.go  names of sections and classes
//	collect.go   the input from the trace
//
// Sources. Coz (Curtsinger and Berger, SOSP 2015): the question, what a faster piece
// brings to the whole; there all else is slowed down in a run, here a trace is replayed.
// wPerf (Zhou et al., OSDI 2018): waiting of all kinds is followed to its root, and idle
// time is separate. Critical lock analysis (Chen and Stenstrom, SC 2012): a section counts
// as far as others depend on it in the order of the run, not by the waiting for it.
// SyncPerf (Alam et al., EuroSys 2017): the remedy depends on the problem of a lock, which
// package findings names. Eyerman and Eeckhout (ISCA 2010): collisions of sections bound a
// speed-up; the range for stripes spreads holds by chance as their model does.
package whatif
