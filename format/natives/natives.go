// Package natives classifies functions of native programs and of the kernel by name: those
// that implement locks, and those in which threads wait or sleep. It reads no input.
package natives

import (
	_ "embed"
	"strings"
)

// Role is the purpose of a function.
type Role uint8

// The roles.
const (
	Program Role = iota // anything else: the program's own
	Library             // of a library or runtime
	Lock                // acquires or releases a lock
	Pause               // a thread sleeps or waits in it
)

// GIL is the class of CPython's interpreter lock.
const GIL = "GIL"

// family is a family of functions by the prefix of their names.
type family struct {
	prefix string
	open   bool // the last word of the prefix may continue
	role   Role
	class  string // of the lock; "" for one that serves several
}

// families are tables by the first byte, each in the order in which it is asked.
type families [256][]family

//go:embed functions.txt
var text string

var program, kernel = parse(text)

// parse reads the table, whose lines have a role, a class and prefixes. The table is
// embedded; a test checks it.
func parse(text string) (program, kernel *families) {
	program, kernel = new(families), new(families)
	roles := map[string]Role{
		"lock":         Lock,
		"pause":        Pause,
		"library":      Library,
		"kernel-lock":  Lock,
		"kernel-pause": Pause,
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] == "#" {
			continue
		}
		to := program
		if strings.HasPrefix(words[0], "kernel") {
			to = kernel
		}
		class := strings.TrimPrefix(words[1], "-")
		for _, prefix := range words[2:] {
			name, open := strings.CutSuffix(prefix, "*")
			to[name[0]] = append(to[name[0]], family{name, open, roles[words[0]], class})
		}
	}
	return program, kernel
}

// RoleInFile is RoleOf for a function of a file. Files of libc and of interpreters are libraries;
// functions of a program that an interpreter runs have its own files.
func RoleInFile(file, name string) (Role, string) {
	role, class := RoleOf(name)
	if role == Program && system(file) {
		role = Library
	}
	return role, class
}

// system reports whether a file is a library of every program, or an interpreter.
func system(file string) bool {
	for _, prefix := range [...]string{"libc.so", "libc-", "libpthread", "libstdc++", "libc++", "libgcc_s", "ld-",
		"libpython", "python3"} {
		if strings.HasPrefix(file, prefix) {
			return true
		}
	}
	return false
}

// RoleOf returns the role of a function and the class of the locks it serves, "" if it serves
// none or several. A guard, which acquires a lock in its constructor and releases it in its
// destructor, counts as part of the lock.
func RoleOf(name string) (Role, string) {
	role, class := program.find(Plain(name))
	if role <= Library && guards(name) {
		return Lock, ""
	}
	return role, class
}

// OfKernel is RoleOf for a function of the kernel.
func OfKernel(name string) (Role, string) { return kernel.find(Plain(name)) }

func (t *families) find(name string) (Role, string) {
	if name == "" {
		return Program, ""
	}
	list := t[name[0]]
	for i := range list {
		if f := &list[i]; f.has(name) {
			return f.role, f.class
		}
	}
	return Program, ""
}

func (f *family) has(name string) bool {
	if !strings.HasPrefix(name, f.prefix) {
		return false
	}
	n := len(f.prefix)
	return f.open || len(name) == n || !word(f.prefix[n-1]) || !word(name[n])
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Plain returns a function's name without the underscores before it and the
// versions of the library in it: lll_lock_wait for __GI___lll_lock_wait.
func Plain(name string) string {
	if strings.HasPrefix(name, "_") {
		name = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(name, "_"), "GI_"), "_")
	}
	if rest, ok := strings.CutPrefix(name, "std::__1::"); ok {
		return "std::" + rest
	}
	if rest, ok := strings.CutPrefix(name, "std::__"); ok {
		return "std::" + rest
	}
	if rest, ok := strings.CutPrefix(name, "absl::lts_"); ok {
		if _, inner, ok := strings.Cut(rest, "::"); ok {
			return "absl::" + inner
		}
	}
	return name
}
