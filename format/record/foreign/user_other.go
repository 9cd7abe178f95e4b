//go:build !linux

package foreign

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// Do runs f: processes of other users are recorded on Linux only.
func (u User) Do(f func() error) error { return f() }

// Open opens a directory that a process with this root calls path: no link leads out of it.
func Open(root, path string, u User) (*Dir, error) { return openStrictly(root, path, u) }

// Dial connects to a socket of the user's.
func (d *Dir) Dial(name string, _ int) (net.Conn, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != os.ModeSocket || Owner(info) != d.UID {
		return nil, &os.PathError{Op: "dial", Path: name, Err: syscall.ECONNREFUSED}
	}
	return net.Dial("unix", filepath.Join(d.root.Name(), name))
}

func byDescriptor(*os.File) string { return "" }
