// Package record keeps the events that cannot be charged as they are read: waits, holds and
// activities, and what a trace says about itself.
//
//	doc.go      this page
//	relocate.go merging the addresses of locks that a collector moved
//	inputs.go   when the threads of each input were visible
//	record.go   the record, and the inputs it is of
//	monitors.go what ends waits that are not for locks, and waits at conditions
//	gaps.go     where one input lost data
package record
