// Package attach talks to a running HotSpot JVM the way its own tools do:
// through the socket of its attach listener, started by a signal where it is
// not there yet. It needs no JDK. It refuses what would harm the target: it
// signals no process that does not handle the signal, and at most once. It
// knows Linux and macOS.
package attach

import (
	"fmt"
	"path/filepath"

	"contend/format/record/foreign"
)

// Error is why a process cannot be talked to, and what to do about it.
type Error struct {
	PID  int
	What string
	Hint string
}

func (e *Error) Error() string { return fmt.Sprintf("process %d %s", e.PID, e.What) }

// Process is a JVM that runs here.
type Process struct {
	PID   int
	Main  string // the main class or jar, as the command line has it
	user  foreign.User
	inner int    // its number in its own namespace
	root  string // its root directory, as we see it
	tmp   string // its folder for temporary files, as it sees it
	quits bool   // it has a handler for SIGQUIT
	args  []string
	began float64 // when it did, 0 where nothing tells
	trust bool
	// A command was sent that it may yet carry out: it takes one after the other, so that an
	// answer to one tells that those before it are done.
	pending  bool
	answered bool // the last command
}

// Pending reports whether the process may yet carry out a command that it was sent.
func (p *Process) Pending() bool { return p.pending && p.Alive() }

// Answered reports whether the process answered the command that it was sent last, and so
// all before it, of other recorders too.
func (p *Process) Answered() bool { return p.answered }

// Trust has files made in the folder for temporary files also where other users may exchange
// what is there, as Dir.Trust.
func (p *Process) Trust() error {
	dir, err := p.Open(p.tmp)
	if err != nil {
		return nil // which is said when it is used
	}
	defer dir.Close()
	p.trust = true
	return dir.Trust()
}

// Inner returns the number of the process in its own namespace, by which those know it that
// share its files.
func (p *Process) Inner() int { return p.inner }

// Temp returns where the process keeps temporary files, as it sees that.
func (p *Process) Temp() string { return p.tmp }

// Open opens a directory, named as the process sees it, with the rights of its user; no
// link leads out of its root.
func (p *Process) Open(theirs string) (*foreign.Dir, error) {
	if !p.Alive() {
		return nil, p.gone()
	}
	dir, err := foreign.Open(filepath.Join(p.root, "/"), theirs, p.user)
	if err == nil && p.trust {
		_ = dir.Trust()
	}
	return dir, err
}

// gone is the error of a process that ended, whatever has its number now.
func (p *Process) gone() *Error { return p.fail("has ended", elsewhere) }

// elsewhere is what to do where a process cannot be found.
const elsewhere = "'contend record --list' shows the JVMs here"

func (p *Process) fail(what, hint string) *Error { return &Error{p.PID, what, hint} }
