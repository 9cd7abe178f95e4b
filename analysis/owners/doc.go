// Package owners finds which thread owned each lock while others waited for it, and how that
// is known. It has no wait-for graph and charges no blame: the packages below analysis do that.
//
// Given are the events of a trace (Record.Add). Asked are the owners of each lock over time
// (Timelines). A lock takes its owners from the best source that its recording has: from recorded
// holds; else from recorded releases, by three rules; else from a model of the locks of its class
// that is learned from the recording, whose ten sentences and papers are in the doc.go of package model.
//
// The stages, in order:
//
//  1. Record keeps the events, packed, while the trace is read. Unended adds waits that only
//     samples show; it comes after the events of one input and before the next input.
//  2. Arrange sorts them by thread and time (Activities), and joins the parks of one acquire
//     into one wait. From here on activities do not change.
//  3. evidence.link finds the locks of thread dumps among those of the waits.
//  4. addTenures takes owners from recorded holds, fromReleases from releases. groups and
//     answer have those of all other locks inferred.
//  5. Each inferred ownership is divided at what its owner did inside the section (divide),
//     and each ownership at the pauses of the JVM. All are stored in order of time (Owned).
//
// The files. Each uses only what is in itself or in later ones; after the dash is all that it
// writes outside of itself:
//
//	doc.go         this map
//	timelines.go   stages 4 and 5 for all locks, a few inputs at a time - Timelines
//	infer.go       groups of locks, and their inference by package model - nothing
//	program.go     the methods that package model asks - evidence.listed
//	dumps.go       stage 3 - evidence.dumpsOf, unlinked
//	releases.go    the owners of one lock by its releases and three rules - nothing
//	points.go      the points in time that waits and releases show of a lock - nothing
//	evidence.go    the record, symbols and dumps together; dividing ownerships, gathering activities - nothing
//	unended.go     waits of threads that hang, which only samples show - dump.unended, the order of dumps
//	activities.go  stage 2, and the lists by lock - Activities, and ids and tables in Record
//	scan.go        reading the activities of a thread one after another - nothing
//	parks.go       sorting activities by thread, and joining parks - store
//	store.go       activities by thread, as they are stored - nothing
//	record.go      stage 1 - Record
//	keys.go        an activity, and its numbered key: all of it but thread and times - nothing
//	inputs.go      the recordings that a trace consists of - nothing
//	pauses.go      intervals in which no thread ran - Owned
//	packing.go     the bytes of ownerships, and of activities until they are sorted - nothing
//	owner.go       an owner, how it is known, and how much is expected to be right - nothing
package owners
