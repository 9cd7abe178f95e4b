package gonames

import (
	"strings"

	"contend/format"
)

// Use is how a stack of Go uses a lock: the innermost frames are the lock's own, the next
// is the site.
type Use struct {
	Class  string // sync.Mutex, sync.RWMutex, sync.Once; "" for a stack that uses no lock
	Method string // Lock, RLock, Unlock, RUnlock
	At     format.Frame
}

// Unlocks reports whether the stack gives a lock back.
func (u *Use) Unlocks() bool { return strings.HasSuffix(u.Method, "nlock") }

// Shared reports whether it does so as a reader.
func (u *Use) Shared() bool { return strings.HasPrefix(u.Method, "R") }

// lockTypes are the receivers of a lock's own methods.
var lockTypes = map[string]string{
	"sync.(*RWMutex)":        "sync.RWMutex",
	"sync.(*Mutex)":          "sync.Mutex",
	"internal/sync.(*Mutex)": "sync.Mutex",
}

// madeOf are the receivers of types with a lock inside that the program does not see.
var madeOf = map[string]string{"sync.(*Once)": "sync.Once"}

// UseOf reads the frames of a stack. The outermost frame of the lock's own
// counts: an RWMutex is made of a Mutex, and a Once.
func UseOf(frames []format.Frame) (u Use) {
	for _, f := range frames {
		if !OfLocks(f.Class) {
			u.At = f
			break
		}
		name := Name(f)
		end := strings.LastIndex(name, ").") + 1
		if class, ok := lockTypes[name[:end]]; ok {
			u.Class, u.Method = class, name[end+1:]
		} else if class, ok := madeOf[name[:end]]; ok && u.Class != "" {
			u.Class = class
		} else if f.Method == "runtime_SemacquireMutex" && u.Class == "" { // whose callers may be cut
			u.Class, u.Method = "sync.Mutex", "Lock"
		}
	}
	return u
}

// OfLock divides a stack into its innermost frames, those of the lock, and the program's own.
func OfLock(frames []format.Frame) (lock, program []format.Frame) {
	n := 0
	for n < len(frames) && OfLocks(frames[n].Class) {
		n++
	}
	return frames[:n], frames[n:]
}
