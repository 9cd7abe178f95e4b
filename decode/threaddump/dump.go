// Package threaddump reads thread dumps as samples: which threads wait for which lock at
// one instant, and which own it. It takes one dump or many, in the
// dialects of several JVMs and tools, with other text between them. Deadlocks
// follow from the locks: the JVM's own deadlock report is not always there, and
// serves only for owners that the stacks do not show.
package threaddump

import (
	"slices"
	"strings"

	"contend/format"
)

// Dump is one thread dump.
type Dump struct {
	Time     int64 // as printed, format.NoTime when not given
	Uptime   int64 // ns the process has run, 0 when not given
	Threads  []Thread
	Cut      bool  // the input ended, or was damaged, within the dump
	Ownables bool  // owners of j.u.c. exclusive locks are listed, so one without is free
	Fused    bool  // lines of several processes are interleaved in it
	Spread   int64 // ns between the first and last thread looked at; 0 when all threads stood still

	Fragment bool // threads cut out of a dump: others may be missing
	Listed   bool // all platform threads that run Java, even where the dump is cut
	Mixed    bool // jhsdb --mixed wrote it: with native frames, and without locks
	Virtuals bool // the program may have virtual threads, which are not all in it
	Hides    bool // it has, and those
	Marks    bool // the threads that wait for a class to be initialised, from JDK 12 on
	Release  int  // the JVM's feature release, as 21; 0 when not given

	Addresses bool // LockRef.Addr is a heap address, which a collector may change; else a hash, which stays
}

// Complete reports whether all threads are in it that may hold a lock.
func (d *Dump) Complete() bool { return (d.Listed || !d.Cut && !d.Fragment) && !d.Virtuals }

// servesVirtual is the release from which on a JVM with virtual threads has a thread
// whose name tells that; before, its carriers may be those of any pool.
const servesVirtual = 24

// mayHide reports whether virtual threads may be missing in it.
func (d *Dump) mayHide() bool { return d.Hides || d.Virtuals && d.Release < servesVirtual }

// Telling reports whether a deadlock shows in it: all threads that may hold a
// lock are there, and the dialect tells of locks at all.
func (d *Dump) Telling() bool {
	return d.Complete() && slices.ContainsFunc(d.Threads, func(t Thread) bool { return t.State != "" || len(t.Held) > 0 || t.For != LockRef{} })
}

// Thread is one thread of a dump.
type Thread struct {
	Name     string
	JavaID   int64 // java.lang.Thread.getId, 0 when not given
	NativeID int64 // of the operating system, 0 when not given
	Elapsed  int64 // ns since the thread started, 0 when not given
	Virtual  bool
	State    string // java.lang.Thread.State, "" when not given
	Frames   []format.Frame
	Held     []LockRef // monitors locked and not released in wait, and owned synchronizers
	taken    []taken   // those of them of which it is printed where
	stalled  bool      // called runnable, and in Object.wait as the JVM itself is: for a class to be initialised
	Wait     Wait
	For      LockRef // what it waits for, when Wait is not NotWaiting
}

// LockRef names a lock by its class and its heap address, or its identity
// hash where the dialect prints that.
type LockRef struct {
	Class string
	Addr  uint64
	Name  string // what a lock guards when its class says nothing: "class X"; else ""
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

// Initialises returns the method of a thread that initialises a class in a dump that
// does not show which threads wait for that, or may itself wait so; "" where there is
// none. The JVM calls all of them runnable.
func (d *Dump) Initialises() string {
	for i := range d.Threads {
		t := &d.Threads[i]
		for j := range t.Frames {
			if f := &t.Frames[j]; t.stalled && t.Wait == NotWaiting || !d.Marks && f.Method == "<clinit>" && !strings.HasPrefix(t.State, "TIMED") {
				return f.Class + "." + f.Method
			}
		}
	}
	return ""
}

// UnmarkedWaits says of a method that Initialises returns why a deadlock may not show.
func UnmarkedWaits(method string) string {
	return "a class may be waited for in " + method + ", and the last dump does not tell which threads wait for a class to be initialised: jstack does, from JDK 12 on"
}

// deriveLocks derives what a thread waits for and holds from what is printed under
// its frames: the monitors, innermost first. All dialects go through it.
//
// Object.wait releases its monitor, although the frames below still print it
// as locked. A thread whose state is BLOCKED there was notified and waits to
// enter the monitor again; "waiting to re-lock" alone does not say that, JDK
// 11 prints it of threads that still wait. Where the wait line is missing or
// names no object, the monitor is the innermost one.
func (t *Thread) deriveLocks(locked []taken) {
	if t.inObjectWait() {
		t.Wait = Waiting
		if t.State == "BLOCKED" {
			t.Wait = Blocked
		}
		if t.For == (LockRef{}) && len(locked) > 0 {
			t.For = locked[0].ref
		}
	} else if t.State == "BLOCKED" && t.Wait == NotWaiting {
		t.Wait = Blocked // for a lock the dump does not name
	}
	for _, l := range locked {
		if t.Wait == NotWaiting || t.Wait == Parked || l.ref != t.For {
			t.hold(l.ref)
			t.taken = append(t.taken, l)
		}
	}
}

// taken is a monitor and the number of the frame that took it.
type taken struct {
	ref   LockRef
	frame int
}

// Taking returns the stack with which a thread took a lock that it holds, from the
// frame that did; nil where the dump does not tell. Of a lock entered again it is
// that of the first time, which is further out.
func (t *Thread) Taking(ref LockRef) (frames []format.Frame) {
	for _, l := range t.taken {
		if l.ref == ref && l.frame >= 0 && l.frame < len(t.Frames) {
			frames = t.Frames[l.frame:]
		}
	}
	return frames
}

// Reenters says that the thread was notified and waits to enter its monitor
// again.
func (t *Thread) Reenters() bool { return t.Wait == Blocked && t.inObjectWait() }

// Enters says that the thread has the monitor of its innermost frame, and is still
// BLOCKED at its entry: it was free, or handed over, a moment ago.
func (t *Thread) Enters() (ref LockRef, ok bool) {
	if t.Wait != Blocked || t.For != (LockRef{}) || len(t.taken) == 0 || t.taken[0].frame != 0 || t.inObjectWait() {
		return ref, false
	}
	return t.taken[0].ref, true
}

func (t *Thread) inObjectWait() bool {
	return len(t.Frames) > 0 && t.Frames[0].Class == "java.lang.Object" && strings.HasPrefix(t.Frames[0].Method, "wait")
}

// hold adds a lock to those the thread holds. Entered again it is still one.
func (t *Thread) hold(ref LockRef) {
	if ref != (LockRef{}) && !slices.Contains(t.Held, ref) {
		t.Held = append(t.Held, ref)
	}
}

// initOwners makes the thread that runs a class's initialiser the owner of
// the lock others wait for until it is done.
func (d *Dump) initOwners() {
	for i := range d.Threads {
		ref := d.Threads[i].For
		class, ok := strings.CutPrefix(ref.Class, format.Initialisation)
		if !ok {
			continue
		}
		for j := range d.Threads {
			if i != j && slices.ContainsFunc(d.Threads[j].Frames, func(f format.Frame) bool { return f.Method == "<clinit>" && f.Class == class }) {
				d.Threads[j].hold(ref)
			}
		}
	}
}
