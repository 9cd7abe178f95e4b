// Package threaddump reads thread dumps as what they are: samples of who
// waits for which lock and who holds it.
package threaddump

import "contend/format"

// Dump is one thread dump.
type Dump struct {
	Threads []Thread
}

// Thread is one thread of a dump.
type Thread struct {
	Name     string
	JavaID   int64 // java.lang.Thread.getId, 0 when not given
	NativeID int64 // of the operating system, 0 when not given
	Daemon   bool
	State    string // java.lang.Thread.State, "" when not given
	Frames   []format.Frame
	Held     []LockRef // monitors locked and not released in wait, and owned synchronizers
	Wait     Wait
	For      LockRef // what it waits for, when Wait is not NotWaiting
}

// LockRef names a lock by its class and heap address.
type LockRef struct {
	Class string
	Addr  uint64
}

// Wait says how a thread waits.
type Wait uint8

// The ways of waiting.
const (
	NotWaiting Wait = iota
	Blocked         // to enter a monitor, or to enter it again after a wait
	Waiting         // in Object.wait
	Parked          // by LockSupport.park; the rules tell what that means
)
