// Package gosym reads the names of Go functions. It is what the decoders of
// Go's traces and dumps share; it reads no input.
package gosym

import (
	"slices"
	"strings"

	"contend/format"
)

// Split cuts a function's name behind its package: net/http and
// (*conn).serve. Type arguments may hold slashes and dots. Bytes that are no
// text are replaced.
func Split(name string) (pkg, fn string) {
	name = strings.ToValidUTF8(name, "\uFFFD")
	plain, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(plain, '/') + 1
	dot := strings.IndexByte(plain[slash:], '.')
	if dot < 0 {
		return "", name
	}
	return name[:slash+dot], name[slash+dot+1:]
}

// ofLocks are the packages that implement locks and what they wait with.
var ofLocks = map[string]bool{"sync": true, "internal/sync": true, "runtime": true}

// OfLocks reports whether a package implements locks, or what they wait with.
func OfLocks(pkg string) bool { return ofLocks[pkg] }

// Name writes a frame's function as Go does.
func Name(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// Start returns the function a goroutine started in: the outermost of its
// stack, less the library's such as sync.(*WaitGroup).Go. sure is false where
// the stack holds only those; then the name is the outermost, or "goroutine"
// for no stack.
func Start(frames []format.Frame) (name string, sure bool) {
	for _, f := range slices.Backward(frames) {
		if !ofLocks[f.Class] {
			return Name(f), true
		}
	}
	if len(frames) == 0 {
		return "goroutine", false
	}
	return Name(frames[len(frames)-1]), false
}
