package threaddump

import (
	"cmp"
	"fmt"
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
	Fused    bool  // lines of several processes are mixed in it
	Spread   int64 // ns between its first and last thread; 0 if all threads were stopped

	Fragment bool          // threads cut out of a dump: others may be missing
	Absent   []absentOwner // of locks, which are named and not listed
	Garbled  int           // lines that look like a thread's first and are not understood
	Example  string        // one of them
	Reported string        // what the JVM's deadlock report says, if the threads do not show all of it; else ""
	Listed   bool          // it lists all platform threads that run Java, even if it is cut
	Mixed    bool          // jhsdb --mixed wrote it: with native frames, and without locks
	Virtuals bool          // the program may have virtual threads that it does not list
	Hides    bool          // it has, and those
	Marks    bool          // the threads that wait for a class to be initialised, from JDK 12 on
	Release  int           // the JVM's feature release, as 21; 0 when not given

	Addresses bool // LockRef.Addr is a heap address, which a collector may change; else a hash, which stays
}

// Complete reports whether it lists all threads that may hold a lock.
func (d *Dump) Complete() bool {
	return (d.Listed || !d.Cut && !d.Fragment) && !d.Virtuals && len(d.Absent) == 0 && d.Reported == ""
}

// servesVirtual is the first release of which a JVM with virtual threads has a thread with
// a telling name; before, carriers may belong to any pool.
const servesVirtual = 24

// mayHide reports whether virtual threads may be missing in it.
func (d *Dump) mayHide() bool { return d.Hides || d.Virtuals && d.Release < servesVirtual }

// Telling reports whether the dump would show a deadlock: it lists all threads that may
// hold a lock, and the dialect has locks.
func (d *Dump) Telling() bool {
	return d.Complete() &&
		slices.ContainsFunc(
			d.Threads,
			func(t Thread) bool { return t.State != "" || len(t.Held) > 0 || t.For != LockRef{} },
		)
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
	taken    []taken   // held monitors with a known frame
	stalled  bool      // called runnable, and in Object.wait as the JVM itself is: for a class to be initialised
	Wait     Wait
	For      LockRef // the lock it waits for, unless Wait is NotWaiting
}

// LockRef identifies a lock by its class and its heap address, or by its identity hash if
// the dialect prints that.
type LockRef struct {
	Class string
	Addr  uint64
	Name  string // the guarded class, if the lock's own class is not specific: "class X"; else ""
	Site  string // where its waiters stand, if the dump does not name the lock; else ""
}

// Unnamed reports that the dump does not name the lock.
func (r LockRef) Unnamed() bool { return r.Site != "" || r == LockRef{} }

// String writes the lock with its class and, if it is named, its address.
func (r LockRef) String() string {
	if r.Unnamed() {
		return cmp.Or(r.Class, "a lock without a name")
	}
	return fmt.Sprintf("%s@%x", r.Class, r.Addr)
}

// Wait is how a thread waits.
type Wait uint8

// The ways of waiting.
const (
	NotWaiting Wait = iota
	Blocked         // to enter a monitor, or to enter it again after a wait
	Waiting         // in Object.wait
	Parked          // by LockSupport.park; the rules classify it
)

// Initialises returns the method of a thread that initialises a class, or may wait for
// that, in a dump that does not show which threads wait for it; "" without one. The JVM
// calls all such threads runnable.
func (d *Dump) Initialises() string {
	for i := range d.Threads {
		t := &d.Threads[i]
		for j := range t.Frames {
			if f := &t.Frames[j]; t.stalled && t.Wait == NotWaiting ||
				!d.Marks && f.Method == "<clinit>" && !strings.HasPrefix(t.State, "TIMED") {
				return f.Class + "." + f.Method
			}
		}
	}
	return ""
}

// UnmarkedWaits returns why a deadlock may not show, for the method that Initialises
// returned.
func UnmarkedWaits(method string) string {
	return "a class may be waited for in " + method + ", and the last dump does not show which threads wait for a " +
		"class to be initialised: jstack does, from JDK 12 on"
}

// deriveLocks derives the locks that a thread waits for and holds from the lines between
// its frames: the monitors, innermost first. All dialects use it.
//
// Object.wait releases its monitor, although the frames below still print it as locked. A
// thread in state BLOCKED there was notified and waits to enter the monitor again; "waiting
// to re-lock" alone does not mean that: JDK 11 prints it for threads that still wait. If
// the wait line is missing or names no object, the monitor is the innermost one.
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

// taken is a monitor and the number of the frame that acquired it.
type taken struct {
	ref   LockRef
	frame int
}

// Taking returns the stack with which a thread acquired a lock that it holds, from the
// acquiring frame outwards; nil if the dump does not show it. For a lock entered again it
// is the first, outermost acquisition.
func (t *Thread) Taking(ref LockRef) (frames []format.Frame) {
	for _, l := range t.taken {
		if l.ref == ref && l.frame >= 0 && l.frame < len(t.Frames) {
			frames = t.Frames[l.frame:]
		}
	}
	return frames
}

// Reenters reports that the thread was notified and waits to enter its monitor again.
func (t *Thread) Reenters() bool { return t.Wait == Blocked && t.inObjectWait() }

// Enters reports that the thread owns the monitor of its innermost frame, and is still
// BLOCKED at its entry: the monitor was free, or handed over, a moment ago.
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
			if i != j &&
				slices.ContainsFunc(
					d.Threads[j].Frames,
					func(f format.Frame) bool { return f.Method == "<clinit>" && f.Class == class },
				) {
				d.Threads[j].hold(ref)
			}
		}
	}
}
