// Package golden compares outputs with files under golden/ and updates them, and has the other
// helpers that tests share: comparisons, test depth, fuzz seeds, GC settings, CPU time and
// goroutine counts.
//
// Files:
//
//	doc.go           this page
//	golden.go        comparing with files, and updating them
//	same.go          comparing values
//	must.go          errors that end a test
//	depth.go         short and thorough tests
//	seeds.go         seeds of fuzzers
//	random.go        random programs
//	heap.go          memory
//	goroutines.go    goroutines
//	cputime_unix.go  processor time
//	cputime_other.go the same elsewhere
package golden
