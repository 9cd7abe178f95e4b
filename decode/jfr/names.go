package jfr

import (
	"fmt"
	"slices"

	"contend/decode/rules"
	"contend/format"
)

// ofLoaders are the classes of the objects that class loaders lock. They do not show the
// purpose of the lock.
var ofLoaders = []string{"java.lang.Object", "java.util.concurrent.ConcurrentHashMap"}

// initLock is the class of the object on which threads wait for the initialisation of a
// class; the innermost frame needs the class.
const initLock = "int[]"

// initialises reports whether a wait at a monitor is for another thread to initialise a
// class: the JVM has them wait on that object without a call of Object.wait.
func initialises(class string, frames []format.Frame) bool {
	return class == initLock && len(frames) > 0 && frames[0].Class != "java.lang.Object"
}

// lockClass returns the class under which locks of a class are shown.
func lockClass(class string) string {
	if class == initLock {
		return format.Initialisation + "a class"
	}
	return class
}

// lockName names a lock by the stack of its first waiter, "" if that has no name.
func lockName(class string, address int64, frames []format.Frame) string {
	if len(frames) == 0 {
		return ""
	}
	if class == initLock {
		return fmt.Sprintf("%s@%x (needed by %s.%s)", lockClass(class), address, frames[0].Class, frames[0].Method)
	}
	for _, f := range frames[:min(len(frames), 3)] {
		if slices.Contains(ofLoaders, class) && rules.Match("*ClassLoader.loadClass*", f.Class+"."+f.Method) {
			return fmt.Sprintf("%s@%x (class loading lock)", class, address)
		}
	}
	return ""
}
