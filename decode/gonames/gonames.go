// Package gonames parses the names of Go functions: their packages, and the locks that they
// implement or use. The decoders of Go's traces, dumps and profiles share it. It reads no
// input.
package gonames

import (
	"slices"
	"strings"

	"contend/format"
)

// Split splits a function's name after its package: net/http and (*conn).serve. Type
// arguments may contain slashes and dots. Invalid UTF-8 is replaced.
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

// lockPackages are the packages that implement locks and waiting.
var lockPackages = map[string]bool{"sync": true, "internal/sync": true, "runtime": true}

// OfLocks reports whether a package of Go implements locks, or waiting.
func OfLocks(pkg string) bool { return lockPackages[pkg] }

// Name writes a frame's function as Go does.
func Name(f format.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + "." + f.Method
}

// Start returns the function a goroutine started in: the outermost of its stack, except
// functions of the library such as sync.(*WaitGroup).Go. sure is false if the stack has
// only those; then the name is the outermost, or "goroutine" for no stack.
func Start(frames []format.Frame) (name string, sure bool) {
	for _, f := range slices.Backward(frames) {
		if !lockPackages[f.Class] {
			return Name(f), true
		}
	}
	if len(frames) == 0 {
		return "goroutine", false
	}
	return Name(frames[len(frames)-1]), false
}
