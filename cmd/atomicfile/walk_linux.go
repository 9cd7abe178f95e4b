package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Way leads from a directory along a path. Every directory on it is open, so that
// concurrent renaming cannot divert it.
type Way struct {
	Look func(at *os.File, info fs.FileInfo) error // checks each directory and each link before it is followed
	Make bool                                      // missing directories are created
	Free bool                                      // links lead anywhere
	dirs []*os.File
}

// Walk opens the directory at a path below top, as a path only. Unless the way is free, all
// links, absolute ones too, stay below top, and ".." returns along the path.
func (w *Way) Walk(top *os.File, path string) (*os.File, error) {
	w.dirs = []*os.File{top}
	defer func() { w.up(1) }()
	info, err := top.Stat()
	if err == nil {
		err = w.Look(top, info)
	}
	links, rest := 0, strings.Split(path, "/")
	for len(rest) > 0 && err == nil {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." && !w.Free {
			w.up(max(1, len(w.dirs)-1))
			continue
		}
		to := ""
		if to, err = w.down(name); to == "" {
			continue
		}
		if links++; links > maxLinks {
			err = errLoop
			break
		}
		if to[0] == '/' {
			w.up(1)
			if w.Free {
				err = w.root()
			}
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: Cause(err)}
	}
	fd, err := unix.FcntlInt(w.dirs[len(w.dirs)-1].Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// up closes all directories but the first n.
func (w *Way) up(n int) {
	for _, dir := range w.dirs[n:] {
		dir.Close()
	}
	w.dirs = w.dirs[:n]
}

// down enters a directory, or returns the target of a link.
func (w *Way) down(name string) (to string, err error) {
	at := w.dirs[len(w.dirs)-1]
	open := func() (int, error) {
		return unix.Openat(int(at.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	fd, err := open()
	if w.Make && errors.Is(err, fs.ErrNotExist) {
		if err = unix.Mkdirat(int(at.Fd()), name, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
			fd, err = open()
		}
	}
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), filepath.Join(at.Name(), name))
	info, err := f.Stat()
	if err == nil {
		err = w.Look(f, info)
	}
	if err != nil {
		f.Close()
		return "", err
	}
	link := make([]byte, unix.PathMax)
	if n, err := unix.Readlinkat(fd, "", link); err == nil && n > 0 {
		f.Close()
		return string(link[:n]), nil
	}
	w.dirs = append(w.dirs, f) // below a file nothing is found
	return "", nil
}

// root continues from the root directory.
func (w *Way) root() error {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		w.dirs = append(w.dirs, os.NewFile(uintptr(fd), "/"))
	}
	return err
}

// open opens a directory that the user named. It follows no link of another user, anywhere
// in the path.
func open(path string, make bool) (*os.Root, error) {
	fail := func(err error) (*os.Root, error) {
		return nil, &os.PathError{Op: "open", Path: path, Err: Cause(err)}
	}
	from := "."
	if filepath.IsAbs(path) {
		from = "/"
	}
	top, err := os.OpenFile(from, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return fail(err)
	}
	defer top.Close()
	way := &Way{
		Make: make,
		Free: true,
		Look: func(_ *os.File, info fs.FileInfo) error {
			if info.Mode()&fs.ModeSymlink != 0 && others(info) {
				return errLink
			}
			return nil
		},
	}
	dir, err := way.Walk(top, path)
	if err != nil {
		return fail(err)
	}
	defer dir.Close()
	root, err := os.OpenRoot(Descriptor(dir))
	if err != nil {
		return fail(err)
	}
	return root, nil
}
