package perf

import (
	"slices"
	"strings"

	"contend/decode/rules"
	"contend/format"
	"contend/format/natives"
)

// use is how a stack uses a lock: the innermost frames are the lock's own, the next is the
// site.
type use struct {
	class   string // of the lock; "" if no frame shows it
	at      format.Frame
	site    bool         // at is no function of a lock
	by      format.Frame // the frame of the program nearest to at, at itself if there is none
	mode    format.Mode  // in which it acquires the lock, or releases it
	hasMode bool         // the stack shows the mode
	drops   bool         // releases the lock of CPython's interpreter
}

// useOf reads the frames of a stack. The outermost frame of the lock's own
// counts: a std::mutex is made of a pthread_mutex_t.
func useOf(frames []format.Frame) (u use) {
	for i, f := range frames {
		role, class := roleOf(f)
		if role <= natives.Library {
			u.at = f
			u.site = true
			u.by = ownOf(frames[i:])
			break
		}
		u.drops = u.drops || f.Method == "drop_gil"
		if class != "" {
			u.class = class
		}
		if shared(f.Method) {
			u.mode, u.hasMode = format.Shared, true
		} else if strings.Contains(f.Method, "wrunlock") || strings.Contains(f.Method, "write_unlock") {
			u.hasMode = true
		}
		u.at = f
	}
	return u
}

// ownOf returns the first frame of the program's own: frames of the interpreter or the
// standard library do not distinguish locks. Chains may end before the program: then the
// first frame of Python's library, else the first frame.
func ownOf(frames []format.Frame) format.Frame {
	best := frames[0]
	for _, f := range frames {
		switch role, _ := roleOf(f); {
		case role != natives.Program:
		case !pythonLibrary(f):
			return f
		case !pythonLibrary(best):
			best = f
		}
	}
	return best
}

// siteName names a frame: a function of Python by its module, too.
func siteName(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

func roleOf(f format.Frame) (natives.Role, string) {
	if f.Class == KernelClass {
		return natives.OfKernel(f.Method)
	}
	return natives.RoleInFile(f.File, f.Method)
}

// readers are parts of the names of functions that acquire or release a lock in shared
// mode.
var readers = []string{
	"rdlock",
	"rdunlock",
	"read_lock",
	"read_unlock",
	"lock_shared",
	"unlock_shared",
	"shared_lock<",
	"ReaderLock",
	"ReaderUnlock",
	"read_contended",
}

func shared(name string) bool {
	return slices.ContainsFunc(readers, func(part string) bool { return strings.Contains(name, part) })
}

// classify returns the verdict of the rules on a wait. Its class is the operation:
// futex:wait, futex:contended for a lock's value, futex:join, futex:lock-pi, futex:waitv.
func (r *Reader) classify(class string, id format.StackID) rules.Result {
	return r.rules.Classify(class, id, r.stacks.byID[id].frames)
}
