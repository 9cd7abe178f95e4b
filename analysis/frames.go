package analysis

import (
	"strings"

	"contend/format"
	"contend/format/natives"
)

// UnknownStack stands for the stack of an owner of whom only the thread is
// known.
const UnknownStack = "[unknown stack]"

// MethodName writes a frame as Class.Method.
func MethodName(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// AppFrame returns the innermost frame that belongs to neither the lock nor
// the runtime; the outermost frame if all do. ok is false for no frames.
func AppFrame(frames []format.Frame) (f format.Frame, ok bool) {
	if len(frames) == 0 {
		return format.Frame{}, false
	}
	for _, f := range frames {
		if !RuntimeFrame(f) {
			return f, true
		}
	}
	return frames[len(frames)-1], true
}

// runtimePrefixes are the classes and packages that implement locking,
// parking and sleeping. Ordinary library code (java.util.Hashtable) is not
// among them: it is what one would want to see blamed.
var runtimePrefixes = [...]string{
	"java.util.concurrent.locks.", "java.util.concurrent.Semaphore",
	"java.lang.VirtualThread", "jdk.internal.misc.Unsafe", "jdk.internal.vm.", "sun.misc.Unsafe",
	"sync.", "internal/sync.", "runtime.",
}

// runtimeClasses are the same, matched whole.
var runtimeClasses = map[string]bool{
	"java.lang.Object": true, "java.lang.Thread": true, "sync": true, "internal/sync": true, "runtime": true, "time": true,
}

// RuntimeFrame reports whether a frame belongs to the lock or the runtime itself.
func RuntimeFrame(f format.Frame) bool {
	if native(f) >= natives.Lock {
		return true
	}
	if runtimeClasses[f.Class] {
		return true
	}
	for _, p := range runtimePrefixes {
		if strings.HasPrefix(f.Class, p) {
			return true
		}
	}
	return false
}

// LockFrame reports whether a frame is of a lock, as those of the runtime in which
// threads do something else while they own one are not: sleep, or wait.
func LockFrame(f format.Frame) bool {
	return RuntimeFrame(f) && !pausing[f.Class] && native(f) != natives.Pause
}

// NativeLibrary reports whether a frame is of a native program and not its own
// code: of a lock, of what threads wait in, or of a library.
func NativeLibrary(f format.Frame) bool {
	return native(f) != natives.Program || f.Class == "" && (f.Method == "_start" || strings.HasPrefix(f.Method, "["))
}

// native says what a function of a native program or of the kernel is for.
func native(f format.Frame) (role natives.Role) {
	switch f.Class {
	case "":
		role, _ = natives.In(f.File, f.Method)
	case "kernel":
		role, _ = natives.OfKernel(f.Method)
	}
	return role
}

// pausing are the classes of runtimeClasses that programs sleep and wait in.
var pausing = map[string]bool{"java.lang.Object": true, "java.lang.Thread": true, "time": true}
