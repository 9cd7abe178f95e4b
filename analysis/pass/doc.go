// Package pass makes slices: it reads a source once, from its first event to its last.
//
//	doc.go          this page
//	run.go          which event goes where; the steps at the end, in order
//	warnings.go     reasons to doubt the results
//	lost.go         what is lost of threads where an input is cut off
//	lifetimes.go    running time: the lifetimes of threads less their idle time
//	intervalsums.go running time by interval, for visitors that ask
//	presence.go     when a thread without events counts as running
//	holds.go        holds, idle times and waits that are not for locks, for visitors that ask
//	reacquire.go    acquiring locks again after Object.wait and await
package pass
