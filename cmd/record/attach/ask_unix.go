//go:build linux || darwin

package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"contend/cmd/atomicfile"
	"contend/cmd/record/foreign"
)

// asking bounds how long tools ask for a socket: an older file was left by a tool that
// died.
const asking = 10 * time.Second

// errAsked says that another tool is asking: a second signal would print a thread dump.
var errAsked = errors.New("asked already")

func (p *Process) socket() string { return fmt.Sprintf(".java_pid%d", p.identity.inner) }

func (p *Process) request() string { return fmt.Sprintf(".attach_pid%d", p.identity.inner) }

func (p *Process) dial(tmp *foreign.Dir) (net.Conn, error) { return tmp.Dial(p.socket(), p.PID) }

// place is a directory in which the JVM looks for requests, and its path here.
type place struct {
	dir  *foreign.Dir
	path string
}

// places opens these directories, in the JVM's order, if possible.
func (p *Process) places() (all []place, done func()) {
	if dir, err := foreign.OpenPath(p.working(), p.identity.user); err == nil {
		all = append(all, place{dir, p.working()})
	}
	if dir, err := p.Open(p.tmp); err == nil {
		all = append(all, place{dir, filepath.Join(p.root, p.tmp)})
	}
	return all, func() {
		for _, a := range all {
			a.dir.Close()
		}
	}
}

// ask creates the file that marks the signal as an attach request, not one for a thread dump,
// sends the signal, and returns what removes the file, which is not nil.
func (p *Process) ask(tmp *foreign.Dir) (done func(), err error) {
	all, done := p.places()
	at, err := p.leave(all)
	if errors.Is(err, errAsked) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	closeAll := done
	done = func() {
		_ = at.Remove(p.request())
		closeAll()
	}
	conn, err := p.dial(tmp)
	if err == nil { // another asked before the file was there: that socket must stay
		conn.Close()
		return done, nil
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		_ = tmp.Remove(p.socket()) // a stale one: the JVM makes none beside it
	}
	if err := p.blocked(tmp); err != nil {
		return done, err
	}
	target, err := os.FindProcess(p.PID) // whose signal goes to no other that gets the number
	if err != nil || !p.Alive() {
		return done, p.gone()
	}
	if p.changed() { // it runs another program by now, which may die of the signal
		return done, p.fail(differs, again)
	}
	if err := target.Signal(syscall.SIGQUIT); err != nil {
		return done, p.fail("cannot be signalled: "+cause(err), "run contend as the same user or as root")
	}
	return done, nil
}

// leave creates the request in the first directory that accepts it.
func (p *Process) leave(all []place) (at *foreign.Dir, err error) {
	err = fs.ErrNotExist
	for _, a := range all {
		for range 2 {
			f, failed := a.dir.Create(p.request(), nil)
			if err = failed; err == nil {
				f.Close()
				return a.dir, nil
			}
			if !errors.Is(err, fs.ErrExist) {
				break
			}
			if info, err := a.dir.Lstat(p.request()); err == nil && p.accepts(info) &&
				time.Since(info.ModTime()) < asking {
				return nil, errAsked
			}
			_ = a.dir.Remove(p.request())
		}
		if in := p.obstacle(a.dir, a.path, p.request()); in != nil {
			return nil, in // the JVM looks no further
		}
	}
	return nil, p.fail("cannot be asked for a socket: "+cause(err), "run contend as the same user or as root")
}

// accepts reports whether the JVM takes a file as a request, and the file is not an old one
// under another name.
func (p *Process) accepts(info fs.FileInfo) bool {
	uid := atomicfile.Owner(info)
	return (uid == p.identity.user.UID || uid == 0) && foreign.Links(info) == 1
}

// blocked returns an error if something obstructs the socket.
func (p *Process) blocked(tmp *foreign.Dir) error {
	for _, name := range []string{p.socket(), p.socket() + ".tmp"} { // the second before it is listened on
		if err := p.obstacle(tmp, filepath.Join(p.root, p.tmp), name); err != nil {
			return err
		}
	}
	return nil
}

// obstacle returns an error if a name that the JVM needs is in use, and is not a file of
// its user.
func (p *Process) obstacle(dir *foreign.Dir, path, name string) error {
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() && atomicfile.Owner(info) == p.identity.user.UID {
		return nil
	}
	what := "a file"
	if info.IsDir() {
		what = "a directory"
	}
	path = filepath.Join(path, name)
	return p.fail(
		fmt.Sprintf("cannot be attached to: %s of user %s is at %s", what, foreign.Name(atomicfile.Owner(info)), path),
		"that user or root can remove it, in the root directory of the process: rm -r "+strings.TrimPrefix(
			path,
			p.root,
		),
	)
}

// Tidy removes the request of a tool that died while asking.
func (p *Process) Tidy() {
	all, done := p.places()
	defer done()
	for _, a := range all {
		if info, err := a.dir.Lstat(p.request()); err == nil && info.Mode().IsRegular() &&
			time.Since(info.ModTime()) > asking {
			_ = a.dir.Remove(p.request())
		}
	}
}
