//go:build !linux

package foreign

import (
	"errors"
	"net"
	"os"
	"path/filepath"

	"contend/cmd/atomicfile"
)

// Do runs f: processes of other users are recorded on Linux only.
func (u User) Do(f func() error) error { return f() }

// Open opens a directory by its path in a process with this root: no link leads out of it.
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

// open opens a regular file.
func (d *Dir) open(name string) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(&os.PathError{Op: "open", Path: name, Err: errKind}, f.Close())
	}
	return f, nil
}

// Dial connects to a socket of the user.
func (d *Dir) Dial(name string, _ int) (net.Conn, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != os.ModeSocket || atomicfile.Owner(info) != d.User.UID {
		return nil, &os.PathError{Op: "dial", Path: name, Err: errKind}
	}
	return net.Dial("unix", filepath.Join(d.root.Name(), name))
}
