// Package workers runs functions on goroutines and rethrows their panics in the goroutine
// that waits for them, which may recover and continue with other inputs, or report the
// panic in one line.
package workers

import (
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"strings"
	"sync"
)

// Panic is the value and the stack of a panic.
type Panic struct {
	Value any
	Stack []byte
}

// Try calls a function. It returns nil unless the function panics.
func Try(f func()) (failed *Panic) {
	defer func() {
		if v := recover(); v != nil {
			failed = caught(v)
		}
	}()
	f()
	return nil
}

// caught keeps the stack of the first panic if a panic is rethrown.
func caught(v any) *Panic {
	if p, again := v.(*Panic); again {
		return p
	}
	return &Panic{v, debug.Stack()}
}

// Error returns the panic and its place in contend, in one line.
func (p *Panic) Error() string {
	what := "internal error: " + strings.TrimPrefix(
		strings.ReplaceAll(fmt.Sprint(p.Value), "\n", " "),
		"runtime error: ",
	)
	_, thrown, _ := strings.Cut(string(p.Stack), "\npanic(")
	function := ""
	for line := range strings.Lines(thrown) {
		if file := strings.TrimSpace(line); !strings.HasPrefix(line, "\t") {
			function = line
		} else if strings.HasPrefix(function, "contend/") {
			dir, name := path.Split(function) // the file's folder depends on the build machine
			pkg, _, _ := strings.Cut(name, ".")
			file, _, _ = strings.Cut(path.Base(file), " ")
			return what + " (" + path.Join(dir, pkg, file) + ")"
		}
	}
	return what
}

// Group is a sync.WaitGroup whose Wait panics if one of its functions did.
type Group struct {
	running sync.WaitGroup
	mu      sync.Mutex
	failed  *Panic // the first
}

// Go calls a function on a new goroutine.
func (g *Group) Go(f func()) { g.running.Go(func() { g.Try(f) }) }

// Try calls a function immediately, as a member of the group.
func (g *Group) Try(f func()) {
	if failed := Try(f); failed != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.failed == nil {
			g.failed = failed
		}
	}
}

// Wait returns when all functions have returned.
func (g *Group) Wait() {
	g.running.Wait()
	g.mu.Lock()
	failed := g.failed
	g.mu.Unlock()
	if failed != nil {
		panic(failed)
	}
}

// Go calls a function on a new goroutine that is never waited for. A panic ends the program
// with one line, like any other failure.
func Go(f func()) {
	go func() {
		if failed := Try(f); failed != nil {
			fmt.Fprintln(os.Stderr, "contend: "+failed.Error())
			os.Exit(1)
		}
	}()
}
