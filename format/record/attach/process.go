// Package attach talks to a running HotSpot JVM the way its own tools do:
// through the socket of its attach listener, started by a signal where it is
// not there yet. It needs no JDK. It refuses what would harm the target: it
// signals no process that does not handle the signal, and at most once. It
// knows Linux and macOS.
package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	PID      int
	Main     string // the main class or jar, as the command line has it
	uid, gid int
	inner    int    // its number in its own namespace
	root     string // its root directory, as we see it
	tmp      string // its folder for temporary files, as it sees it
	quits    bool   // it has a handler for SIGQUIT
	args     []string
}

// Dir returns where the process keeps temporary files, as this process sees it
// and as that one does.
func (p *Process) Dir() (ours, theirs string) { return filepath.Join(p.root, p.tmp), p.tmp }

// Open opens a directory, named as the process sees it; no link leads out of its root.
func (p *Process) Open(theirs string) (*os.Root, error) {
	root, err := os.OpenRoot(filepath.Join(p.root, "/"))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(strings.TrimPrefix(theirs, "/"))
}

// Owner returns the user and group the process runs as.
func (p *Process) Owner() (uid, gid int) { return p.uid, p.gid }

func (p *Process) fail(what, hint string) *Error { return &Error{p.PID, what, hint} }
