// Package column stores the events of a trace: many of one kind, added one by one and then
// read in order of time.
//
// Its files, each of which uses only what comes after it:
//
//	doc.go      this page
//	packed.go   a packed column that is only read in order
//	column.go   an array in pieces, and its order by time
//	radix.go    sorting keys by their instants
//	keyheap.go  a heap of keys
package column
