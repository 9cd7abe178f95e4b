// Package sleeps decides which sleeps are inside critical sections: a thread that sleeps
// there counts as running, because it holds the lock.
//
//	doc.go       this page
//	sleeps.go    the verdicts, by stack
//	sections.go  the sites where locks are acquired, and the stacks that pass through them
//	trial.go     sleeps compared with the waits of other threads
//	conflicts.go the acquisitions of a lock that exclude a holder, and their chance in any interval
package sleeps
