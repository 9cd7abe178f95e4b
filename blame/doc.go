// Package blame sums slices into tables: the waiting that each owner caused, pivoted by
// any sequence of keys. It rebuilds nothing and prints nothing.
//
// A slice of analysis (one lock, an interval in which its waiters and its owners' shares do
// not change) comes to a visitor. The visitor finds the ids of its keys, numbers their
// combination, and adds the slice to the row of that number; names come in only at the end.
//
//	doc.go                       this page
//	keys.go, keylist.go          the keys, and how users write them
//	resolver.go, doing.go        the ids of keys in a slice, and their names
//	sites.go, acquirelines.go    where a lock is acquired: the site that names it
//	operations.go, own.go        operations of threads, and the program's own code
//	naming.go, nearest.go        patterns that users write for names
//	numbering.go, at.go          numbers of combinations of ids, sums by them
//	rows.go, charges.go          the rows of a table, and what each gets of a slice
//	pivot.go, sum.go             the sums, as a visitor; what a row adds up
//	table.go, whole.go           the finished table; whole waits that begin in a row
//	threadset.go, waiterclasses.go  threads of a row, and waiters of long queues by their rows
//	chains.go                    the steps of a chain of waits
//	graph.go, components.go      the graph of waiters and owners, and its cycles
//
// The packages below are views of it. Each reads analysis and blame and no other of them,
// but for those in brackets:
//
//	locks     by lock or class: owners, activities, waiters, and resources
//	cube      by keys and bins of time, for pages, exports, csp and gates
//	stacks    by call stack, for profiles and flame graphs
//	waits     single waits: their durations, the longest, one of them over time
//	compare   two runs, and the differences that exceed noise [locks]
//	findings  problems with evidence and remedy [locks]
//	gate      rules for a build [compare, cube, findings, locks]
//	whatif    a replay of the trace with a change
package blame
