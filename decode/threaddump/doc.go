// Package threaddump reads thread dumps as samples: the locks that threads wait for at one
// instant, and their owners. It takes one dump or many, in the dialects of several JVMs and
// tools, with other text between them. It finds deadlocks by the locks: the JVM's own
// deadlock report is not always there, and serves only for owners that the stacks do not
// show.
//
// Files:
//
//	doc.go        this page
//	reader.go     Reader: all dumps of the inputs as one series
//	dump.go       Dump, Thread and other results of parsing
//	pending.go    an input with its next dump
//	stream.go     the dumps of one input, in order
//	dialect.go    the forms of dumps, and how each begins
//	notations.go  how other tools write threads and locks
//	stated.go     threads that begin with their name and state
//	builder.go    what parsers have in common
//	hotspot.go    the dumps of HotSpot
//	report.go     its deadlock report
//	managed.go    HotSpot's form as other tools write it
//	javacore.go   IBM J9 and OpenJ9
//	jrockit.go    JRockit
//	android.go    ART and Dalvik
//	threadinfo.go ThreadInfo.toString
//	filedump.go   jcmd Thread.dump_to_file, as text
//	jsondump.go   the same as JSON
//	jsoninfo.go   ThreadInfo as JSON
//	names.go      one copy of each string and frame
//	parked.go     the lock of a parked thread, by its frames
//	unnamed.go    the lock of a thread whose dump names none
//	missing.go    owners that the dump leaves out
//	snapshot.go   a dump as events
//	relocation.go locks that a collector moved between dumps
//	process.go    dumps of several processes
//	times.go      the times of dumps
package threaddump
