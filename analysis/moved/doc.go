// Package moved finds locks of a recording that are one lock, moved by a garbage collector.
// Recordings of a JVM name the locks of java.util.concurrent by their addresses, which a
// collection changes. The package never joins two locks that were seen in one epoch, the
// time between two collections.
//
// Its files, each of which uses only what comes after it:
//
//	doc.go          this page
//	moved.go        the result
//	lives.go        addresses, and families of them
//	chain.go        whether the addresses of a family are one lock
//	collections.go  epochs
//	seen.go         the recorded use of an address
package moved
