package jfr

import (
	"fmt"

	"contend/decode/rules"
	"contend/format"
)

// lockNames give the JVM's own locks, which are of classes that say nothing,
// a readable name. Where is matched against the frames of a thread that waits.
var lockNames = []struct {
	class, where, name string
}{
	{"java.lang.Object", "*ClassLoader.loadClass*", "class loading lock"},
	{"java.util.concurrent.ConcurrentHashMap", "*ClassLoader.loadClass*", "class loading lock"},
}

// initLock is the class of the object on which threads wait for a class to be
// initialised; the innermost frame is the one that needs the class.
const initLock = "int[]"

// initialises reports whether a wait at a monitor is for another thread to initialise a
// class: the JVM has them wait on that object without a call of Object.wait.
func initialises(class string, frames []format.Frame) bool {
	return class == initLock && len(frames) > 0 && frames[0].Class != "java.lang.Object"
}

// lockClass is what a lock of a class is shown as.
func lockClass(class string) string {
	if class == initLock {
		return format.Initialisation + "a class"
	}
	return class
}

// lockName names a lock by what the first waiter's stack tells, "" when it
// tells nothing.
func lockName(class string, address int64, frames []format.Frame) string {
	if len(frames) == 0 {
		return ""
	}
	if class == initLock {
		return fmt.Sprintf("%s@%x (needed by %s.%s)", lockClass(class), address, frames[0].Class, frames[0].Method)
	}
	for _, n := range lockNames {
		if n.class != class {
			continue
		}
		for _, f := range frames[:min(len(frames), 3)] {
			if rules.Match(n.where, f.Class+"."+f.Method) {
				return fmt.Sprintf("%s@%x (%s)", class, address, n.name)
			}
		}
	}
	return ""
}
