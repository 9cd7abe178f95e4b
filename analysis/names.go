package analysis

import (
	"fmt"
	"strings"

	"contend/format"
	"contend/format/natives"
)

// UnknownStack stands for the stack of an owner with only a known thread.
const UnknownStack = "[unknown stack]"

// MethodName formats a frame as Class.Method.
func MethodName(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// WithoutLine returns the method in the name of a site or of a frame,
// Class.method:12.
func WithoutLine(site string) string {
	i := strings.LastIndexByte(site, ':')
	if i <= 0 || i+1 == len(site) || !numbers(site[i+1:]) {
		return site
	}
	return site[:i]
}

// generated are the parts of class names that a JVM follows with what is new at each start: of
// hidden classes anything, of others a number.
var generated = [...]struct {
	mark   string
	hidden bool
}{{"$$Lambda", true}, {"LambdaForm$", true}, {"GeneratedMethodAccessor", false},
	{"GeneratedConstructorAccessor", false}, {"$Proxy", false}}

// StableName removes from a name the parts that a JVM generates anew at each start: the
// number and address of a hidden class, as in App$$Lambda/0x00007f1c2c0a1bc8.run or
// App$$Lambda$14+0x0000000800c03000.1234.
func StableName(name string) string {
	for _, g := range generated {
		i := strings.Index(name, g.mark)
		if i < 0 {
			continue
		}
		end := i + len(g.mark)
		rest := name[end:]
		method := ""
		if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
			if rest, method = rest[:dot], rest[dot:]; numbers(method[1:]) {
				rest, method = rest+method, "" // the end of a hidden class
			}
		}
		if g.hidden || numbers(rest) {
			return name[:end] + method
		}
	}
	return name
}

// numbers reports whether a text is digits only, or nothing.
func numbers(text string) bool { return strings.Trim(text, "0123456789") == "" }

// AppFrame returns the innermost frame that belongs to neither the lock nor the runtime;
// the outermost frame if all do. ok is false if there are no frames.
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

// runtimePrefixes are the classes and packages that implement locking, parking and
// sleeping. Other library code, such as java.util.Hashtable, is not among them: a user
// wants to see it blamed.
var runtimePrefixes = [...]string{
	"java.util.concurrent.locks.", "java.util.concurrent.Semaphore",
	"java.lang.VirtualThread", "jdk.internal.misc.Unsafe", "jdk.internal.vm.", "sun.misc.Unsafe",
	"sync.", "internal/sync.", "runtime.",
}

// runtimeClasses are further such classes, matched as a whole.
var runtimeClasses = map[string]bool{
	"java.lang.Object": true, "java.lang.Thread": true, "sync": true, "internal/sync": true, "runtime": true,
	"time": true,
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

// LockFrame reports whether a frame belongs to a lock. Runtime frames in which an owner
// sleeps or waits do not.
func LockFrame(f format.Frame) bool {
	return RuntimeFrame(f) && !pausing[f.Class] && native(f) != natives.Pause
}

// NativeLibrary reports whether a frame of a native program is not the program's own code:
// it belongs to a lock, to a wait, or to a library.
func NativeLibrary(f format.Frame) bool {
	return native(f) != natives.Program || f.Class == "" && (f.Method == "_start" || strings.HasPrefix(f.Method, "["))
}

// native returns the role of a function of a native program or the kernel.
func native(f format.Frame) (role natives.Role) {
	switch f.Class {
	case "":
		role, _ = natives.RoleInFile(f.File, f.Method)
	case "kernel":
		role, _ = natives.OfKernel(f.Method)
	}
	return role
}

// pausing are the runtimeClasses in which programs sleep and wait.
var pausing = map[string]bool{"java.lang.Object": true, "java.lang.Thread": true, "time": true}

// PseudoOwner names an owner that is not a thread; cycle is the number of a deadlock.
func PseudoOwner(kind OwnerKind, cycle int32) string {
	switch kind {
	case OwnerHandoff:
		return "[handoff]"
	case OwnerExternal:
		return "[external]"
	case OwnerGCPause:
		return "[gc pause]"
	case OwnerPause:
		return "[safepoint]"
	case OwnerDeadlock:
		return fmt.Sprintf("[deadlock #%d]", cycle)
	}
	return "[unknown owner]"
}

// StackText formats a stack on one line, innermost frame first, as Class.Method:line
// separated by " < ".
func StackText(frames []format.Frame) string {
	if len(frames) == 0 {
		return UnknownStack
	}
	var b strings.Builder
	for i, f := range frames {
		if i > 0 {
			b.WriteString(" < ")
		}
		b.WriteString(MethodName(f))
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
	}
	return b.String()
}
