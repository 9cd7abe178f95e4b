// Package perf reads the output of perf script for futexes, the scheduler and kernel locks:
// which thread waited for which lock, how long, and which thread woke it. It delivers waits
// and releases; package analysis/owners infers the owners. It refuses perf.data itself,
// which does not contain the names of functions.
//
// Times are those of the recording's clock, which counts from the start of the machine.
// Events are delivered at once, except a wait for a lock, which is kept until it is known
// whether its thread acquired the lock.
//
// Files:
//
//	doc.go      this page
//	reader.go   Reader, and the lines of the text
//	sniff.go    whether a text is perf's
//	line.go     the first line of an event
//	handlers.go which event is handled how
//	sched.go    threads on and off CPUs
//	offcpu.go   what a thread off its CPU does
//	futex.go    calls of futex
//	kernel.go   locks of the kernel
//	waits.go    waits for futexes, from begin to end
//	locks.go    locks by address, and wake-ups
//	use.go      how a stack uses a lock
//	stack.go    call chains
//	python.go   functions of Python
//	threads.go  threads and processes
//	closing.go  the end of the text, and warnings
package perf
