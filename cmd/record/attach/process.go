package attach

import (
	"errors"
	"fmt"
	"path/filepath"

	"contend/cmd/record/foreign"
)

// Error is why a process cannot be attached to, and a remedy.
type Error struct {
	PID  int
	What string
	Hint string
}

func (e *Error) Error() string { return fmt.Sprintf("process %d %s", e.PID, e.What) }

// Process is a JVM on this machine.
type Process struct {
	PID      int
	Main     string // the main class or jar, as the command line has it
	identity identity
	root     string // its root directory, as seen from here
	tmp      string // its folder for temporary files, as the process sees it
	args     []string
	trust    bool
}

// identity identifies a process and its rights: nothing beyond these is done on its behalf.
type identity struct {
	user  foreign.User // the effective one
	one   bool         // which is the real one, too, as its group
	inner int          // its number in its own namespace
	began uint64       // its start, in hundredths of a second since the system's start; 0 if unknown
	quits bool         // it has a handler for SIGQUIT
}

// Renew finds the process again, with its current rights.
func (p *Process) Renew() error {
	now, err := Find(p.PID)
	switch {
	case err != nil:
		return err
	case now.identity.began != p.identity.began:
		return p.gone()
	}
	now.trust = p.trust
	*p = *now
	return nil
}

// Trust allows files in the folder for temporary files even if other users may replace
// files there, as Dir.Trust.
func (p *Process) Trust() error {
	dir, err := p.Open(p.tmp)
	if err != nil {
		return nil // which is said when it is used
	}
	defer dir.Close()
	p.trust = true
	return dir.Trust()
}

// Temp returns the folder for temporary files, as the process sees it.
func (p *Process) Temp() string { return p.tmp }

// Open opens a directory by its path in the process, with the rights of its user; no link
// leads out of its root.
func (p *Process) Open(theirs string) (*foreign.Dir, error) {
	if !p.Alive() {
		return nil, p.gone()
	}
	dir, err := foreign.Open(filepath.Join(p.root, "/"), theirs, p.identity.user)
	if err != nil {
		return nil, err
	}
	if p.changed() {
		return nil, errors.Join(p.fail(differs, again), dir.Close())
	}
	if p.trust {
		_ = dir.Trust()
	}
	return dir, nil
}

// gone returns the error of a process that has ended, even if another one has its number
// now.
func (p *Process) gone() *Error { return p.fail("has ended", elsewhere) }

// A process whose user or rights change cannot be trusted.
const (
	differs = "has changed its user or rights while it was looked at"
	again   = "try again when it runs its program"
)

// elsewhere is the hint if a process cannot be found.
const elsewhere = "'contend record --list' shows the JVMs here"

func (p *Process) fail(what, hint string) *Error { return &Error{p.PID, what, hint} }
