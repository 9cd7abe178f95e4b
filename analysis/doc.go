// Package analysis defines the input and output of an analysis: slices, visitors, symbols and
// the filter. Package pass computes them.
//
// Input: the events of a source, in any order, which pass.Run reads once. Events
// that sample contention become slices as they are read. Recorded waits and activities are
// kept until the source ends, at some 10 bytes each, and so are holds, releases and dumps.
// Then owners are inferred (package owners), and a sweep over time charges each wait to them.
//
// Output: slices, intervals in which threads waited for one lock and the wait-for
// graph did not change, each charged to the lock's owner and to the end of the chain of
// waits. A Visitor receives them, and, if it asks, running time, joins and leaves of long
// queues, holds, and waits that are not for locks. Symbols name their ids. A Trace has the
// running time, the coverage of the slices and their expected accuracy. All other sums are those
// of visitors.
//
// Files, each of which uses only what comes after it:
//
//	doc.go         this page
//	visitor.go     Visitor and its optional interfaces
//	trace.go       the filter of a pass, and its result besides slices
//	reacquired.go  waits for a lock again after Object.wait or await
//	union.go       wall-clock time of intervals that overlap
//	definer.go     adding definitions while visitors read them
//	symbols.go     names of ids, for visitors and reports
//	definitions.go names and properties of threads, locks and stacks
//	stackuses.go   how stacks use locks
//	longnames.go   shortening names that no compiler makes
//	names.go       owners, frames and stacks as text; which frames are the runtime's
//	slice.go       the unit of all results: Slice, its shares and waiters
//	waitqueue.go   the threads that wait for one lock, by joins and leaves
//
// Packages, each of which imports only those after it:
//
//	pass              one reading of a source: its order, running time, holds
//	internal/sweep    recorded waits and owners become slices
//	internal/sampled  samples of contention become slices
//	internal/sleeps   which sleeps are inside critical sections
//	internal/record   the events that are kept until the source ends
//	internal/deliver  slices go through the filter to the visitors
//	internal/graph    the wait-for graph at one instant, its paths and cycles
//	owners            inference of owners
//	moved             locks that a garbage collector moved
//	internal/times    lists of intervals
//	durations         distributions of durations
//	bootstrap         confidence intervals
package analysis
