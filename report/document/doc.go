// Package document holds the documents contend prints as JSON and renders as
// tables: plain data, integer nanoseconds, versioned. report/README.md
// specifies them.
//
// There is a file for each document, named as its command: blame.go, check.go, csp.go, diff.go,
// graph.go, hist.go, verify.go, whatif.go, why.go. analyze has four:
//
//	doc.go       this page
//	analyze.go   the document, its locks and deadlocks
//	overview.go  owners of locks, findings, and waits outside of the totals
//	resources.go places where threads wait for resources
//	ranked.go    both in one list, with one row for locks of one class and site
//
// Others have parts of several documents:
//
//	parties.go   the owners and waiters of a lock, by their places
//	finding.go   one thing to fix
//	provenance.go how the owners of some waiting are known
//	warning.go   a reason to doubt a result
//	coverage.go  the amount of data, the provenance of owners, the gaps
//	threads.go   the threads of dumps
//	places.go    the site in the name of a lock
//	lines.go     pressure over time, in a number of cells
//	profile.go   waiting by call stack
//	write.go     a document as JSON
package document
