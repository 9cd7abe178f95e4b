// Package decode opens any supported input: it detects the format, decompresses, and chains
// several inputs into one trace.
//
// Its packages read bytes and deliver the events of package format. A decoder infers no
// owners and sums nothing: analysis does. It knows no other decoder but where the table says.
//
//	native      contend traces
//	jfr         flight recordings; the dumps in them by threaddump
//	jfrprint    what the JDK's jfr print writes of them
//	threaddump  thread dumps of JVMs
//	godump      goroutine dumps
//	gotrace     execution traces of Go
//	perf        the text of perf script
//	profile     sums by stack or lock, without threads: pprof, folded stacks, counts
//
// Below them are three that read no input by themselves:
//
//	gonames     functions of Go: their packages, and the locks they implement
//	unwrap      lines without what loggers, containers and mail put around them
//	rules       whether a park or wait is for a lock, for something else, or idle
//
// Files:
//
//	doc.go          this page
//	open.go         Open: a trace of one or several inputs
//	kinds.go        the kinds of inputs
//	sniff.go        finding the kind by the first bytes
//	input.go        one file
//	folder.go       a folder of files
//	limits.go       what an input may make the program do
//	several.go      several inputs as one trace
//	shift.go        ids of several inputs
//	dense.go        small ids
//	pump.go         decoding beside the analysis
//	admit.go        times that no clock gives
//	overlap.go      recordings that repeat each other
//	followed.go     locks that an agent followed beside a flight recording
//	missed.go       what the agent lacks of them
//	recording.go    a flight recording with samples of an agent
//	recorders.go    threads that record
//	declared.go     locks that rules declare
//	observations.go when threads are at their sites
package decode
