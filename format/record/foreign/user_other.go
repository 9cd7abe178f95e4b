//go:build !linux

package foreign

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"contend/format/whole"
)

// Do runs f: processes of other users are recorded on Linux only.
func (u User) Do(f func() error) error { return f() }

// Open opens a directory that a process with this root calls path: no link leads out of it.
func Open(root, path string, u User) (*Dir, error) {
	top, err := os.OpenRoot(filepath.Join(root, "/"))
	if err != nil {
		return nil, err
	}
	defer top.Close()
	in, err := top.OpenRoot("." + filepath.Clean("/"+path))
	if err != nil {
		return nil, err
	}
	return hold(in, path, u)
}

// Dial connects to a socket of the user's.
func (d *Dir) Dial(name string, _ int) (net.Conn, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != os.ModeSocket || whole.Owner(info) != d.UID {
		return nil, &os.PathError{Op: "dial", Path: name, Err: syscall.ECONNREFUSED}
	}
	return net.Dial("unix", filepath.Join(d.root.Name(), name))
}

// refuses reports whether nobody listens on a socket.
func (d *Dir) refuses(name string) bool {
	conn, err := net.Dial("unix", filepath.Join(d.root.Name(), name))
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
