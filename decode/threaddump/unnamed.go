package threaddump

import (
	"strconv"
	"strings"

	"contend/format"
)

// Trimmed dumps. A dump may have lost the lines that name locks: whoever pasted it cut them, or a
// tool wrote states and frames alone. The state of a thread and its frames are facts even so: a
// thread that is BLOCKED waits for a monitor, and the frames of a park show the class of the
// lock. The lock then has no identity but the place where its waiters stand.

// placeWaits gives threads that wait without a named lock the lock that their states and frames
// show.
func (d *Dump) placeWaits() {
	for i := range d.Threads {
		t := &d.Threads[i]
		if t.Wait == NotWaiting && t.parks() {
			t.Wait = Parked
		}
		if _, enters := t.Enters(); enters || !t.For.Unnamed() || len(t.Frames) == 0 {
			continue
		}
		switch t.Wait {
		case Blocked:
			t.For = LockRef{Site: placeOf(t.Frames)}
		case Parked:
			if class := parkedLock(t.Frames); class != "" {
				t.For = LockRef{Class: class, Name: t.For.Name, Site: placeOf(t.Frames)}
			}
		}
	}
}

// parks reports whether a thread is parked, by its innermost frame, which trimming may have cut
// down to one of java.util.concurrent.
func (t *Thread) parks() bool {
	if len(t.Frames) == 0 || t.State == "RUNNABLE" || t.State == "BLOCKED" {
		return false
	}
	f := &t.Frames[0]
	return parking(f) || strings.HasPrefix(f.Class, jucPackage) && strings.HasSuffix(t.State, "WAITING")
}

// placeOf writes the frame in which the program began to wait.
func placeOf(frames []format.Frame) string {
	f := siteOf(frames)
	return frameText(&f)
}

func frameText(f *format.Frame) string { return f.Class + "." + f.Method + ":" + strconv.Itoa(f.Line) }

// heldAt begins the site of a monitor without a name that a thread holds: it differs from the sites of
// waiters, since the monitors may.
const heldAt = "held at "

// entered returns the frame in which a thread entered the first monitor without a name that it holds; "" if
// it holds none.
func (t *Thread) entered() string {
	for _, ref := range t.Held {
		if at, ok := strings.CutPrefix(ref.Site, heldAt); ok {
			return at
		}
	}
	return ""
}

// parking reports whether a frame is of the JDK's parking.
func parking(f *format.Frame) bool {
	return f.Class == LockSupport || f.Method == "park" && strings.HasSuffix(f.Class, ".Unsafe") ||
		strings.HasPrefix(f.Class, "java.lang.VirtualThread") &&
			(strings.HasPrefix(f.Method, "park") || strings.HasPrefix(f.Method, "yield") || f.Method == "onPinned") ||
		f.Method == "parkVirtualThread"
}

// parkedLock returns the class of the lock that parked frames wait for, "" if they do not show it. A
// library's own lock is known by the name of its class.
func parkedLock(frames []format.Frame) string {
	for len(frames) > 0 && parking(&frames[0]) {
		frames = frames[1:]
	}
	if class, _ := ParkedOn(frames); class != "" {
		return class
	}
	if len(frames) > 0 && isLock(frames[0].Class) {
		return frames[0].Class
	}
	return ""
}

// isLock reports whether a class is a lock by its name.
func isLock(class string) bool {
	name := class[strings.LastIndexByte(class, '.')+1:]
	return strings.Contains(name, "Lock") || strings.Contains(name, "Mutex") || strings.Contains(name, "Semaphore")
}

// siteOf returns the frame in which the program began to wait.
func siteOf(frames []format.Frame) format.Frame {
	at := 0
	for at < len(frames)-1 && (parking(&frames[at]) || frames[at].Class == "java.lang.Object" ||
		strings.HasPrefix(frames[at].Class, jucPackage)) {
		at++
	}
	return frames[at]
}
