package rules

import (
	"slices"
	"strings"

	"contend/format"
)

// SplitGo cuts a function's name behind its package: net/http and
// (*conn).serve. Type arguments may hold slashes and dots. Bytes that are no
// text are replaced.
func SplitGo(name string) (pkg, fn string) {
	name = strings.ToValidUTF8(name, "\uFFFD")
	plain, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(plain, '/') + 1
	dot := strings.IndexByte(plain[slash:], '.')
	if dot < 0 {
		return "", name
	}
	return name[:slash+dot], name[slash+dot+1:]
}

// goLockPackages are the packages that implement locks and waiting.
var goLockPackages = map[string]bool{"sync": true, "internal/sync": true, "runtime": true}

// OfGoLocks reports whether a package of Go implements locks, or waiting.
func OfGoLocks(pkg string) bool { return goLockPackages[pkg] }

// GoName writes a frame's function as Go does.
func GoName(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// StartOfGo returns the function a goroutine started in: the outermost of its
// stack, less the library's such as sync.(*WaitGroup).Go. sure is false where
// the stack holds only those; then the name is the outermost, or "goroutine"
// for no stack.
func StartOfGo(frames []format.Frame) (name string, sure bool) {
	for _, f := range slices.Backward(frames) {
		if !goLockPackages[f.Class] {
			return GoName(f), true
		}
	}
	if len(frames) == 0 {
		return "goroutine", false
	}
	return GoName(frames[len(frames)-1]), false
}
