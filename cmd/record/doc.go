// Package record records a running program: a JVM with an agent that samples the owners of
// contended locks, with the flight recorder, or with both; a Go program over net/http/pprof;
// a native one with perf. It leaves a folder with the agent's jar behind that goes with the
// target, changes no setting of it for longer than the recording, and analyses nothing.
//
// Files:
//
//	doc.go          this page
//	record.go       recording a JVM
//	flight.go       its flight recording
//	repository.go   the files of its flight recorder
//	folder.go       the folder that both sides write to
//	watch.go        the growing trace of the agent
//	window.go       the end of that trace
//	go.go           recording a Go program
//	perf.go         recording with perf
//	perf_args.go    what perf records
//	perf_why.go     why perf failed
//	room_unix.go    free space
//	room_other.go   the same elsewhere
//	system_linux.go processes
//	system_other.go the same elsewhere
package record
