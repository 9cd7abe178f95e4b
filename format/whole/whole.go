// Package whole writes files that carry their name only once they are whole: until then
// they grow beside it, under another name. A full disk or the end of the program leaves
// what the name stood for as it was. Devices, pipes, and what lies below /dev and /proc,
// are written to in place. It refuses to follow a link of another user's.
package whole

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// File is one in the making. Either Commit or Discard ends it.
type File struct {
	*os.File
	path   string // what it will be called
	dir    *os.Root
	temp   string // what it is called in dir; "" where it is written in place
	choose bool   // the name may change: it stands for nothing else
}

var (
	errLink  = errors.New("a link of another user; name the file that it leads to")
	errLoop  = errors.New("too many links")
	errDir   = errors.New("is a directory")
	errTaken = errors.New("its name and others like it are taken")
)

// maxLinks is how many links a name may lead through, as for the kernel.
const maxLinks = 40

// Create begins what is to replace a file, with the same permissions where that is this
// user's, or to be a new one. Links are followed: it is the file they lead to that is
// replaced.
func Create(path string) (*File, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return beside(path, nil)
		case err != nil:
			return nil, err
		case isDescriptor(path):
			return inPlace(path, nil)
		case info.IsDir():
			return nil, &os.PathError{Op: "open", Path: path, Err: errDir}
		case info.Mode().IsRegular():
			return beside(path, info)
		case info.Mode()&fs.ModeSymlink == 0:
			return inPlace(path, info)
		case owner(info) != os.Geteuid() && owner(info) > 0:
			return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
		}
		to, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to // not cleaned: a directory in it may be a link
		}
		path = to
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: errLoop}
}

// New begins a file of which the program chose the name. It replaces nothing: where the
// name is taken in the end, by a link too, it gets a number.
func New(path string) (*File, error) {
	f, err := beside(path, nil)
	if err == nil {
		f.choose = true
	}
	return f, err
}

// Write writes a file of which the program chose the name, in a directory that the user
// named: what has the name is replaced, a link too.
func Write(path string, content io.Reader) error {
	f, err := beside(path, nil)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, content); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// descriptors are paths of open files, which may be regular ones.
var descriptors = regexp.MustCompile(`^(/dev|/proc/[^/]+(/task/[^/]+)?)/fd/`)

func isDescriptor(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && descriptors.MatchString(abs)
}

// inPlace opens a descriptor or, where named is not nil, what was seen to be no file: a
// link that another user puts there meanwhile leads nowhere.
func inPlace(path string, named fs.FileInfo) (*File, error) {
	flag := os.O_WRONLY | os.O_APPEND
	if named != nil {
		flag |= noFollow
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || named != nil && !os.SameFile(info, named) {
		return nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: fs.ErrExist}, f.Close())
	}
	return &File{File: f, path: path}, nil
}

// beside makes a file with another name in the same directory, like the one it is to
// replace, if there is one.
func beside(path string, old fs.FileInfo) (*File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f := &File{path: path, dir: dir}
	if err = f.make(old); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return f, nil
}

// nameLength is what is left of a name beside that of 255 bytes.
const nameLength = 255 - len("..ABCDEFGH")

func (f *File) make(old fs.FileInfo) (err error) {
	base := filepath.Base(f.path)
	if old != nil { // what may not be written is not replaced either
		writable, err := f.dir.OpenFile(base, os.O_WRONLY|nonBlock, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: f.path, Err: bare(err)}
		}
		writable.Close()
	}
	f.temp = "." + strings.ToValidUTF8(base[:min(len(base), nameLength)], "") + "." + rand.Text()[:8]
	if f.File, err = f.dir.OpenFile(f.temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666); err != nil {
		return &os.PathError{Op: "open", Path: f.path, Err: bare(err)}
	}
	if old != nil && owner(old) == os.Geteuid() {
		_ = f.Chmod(old.Mode().Perm())
	}
	return nil
}

// bare is what is wrong, without a name.
func bare(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// InPlace reports whether what is written is out at once.
func (f *File) InPlace() bool { return f.temp == "" }

// Path is what the file is called, or is to be called, and after New and Commit is called.
func (f *File) Path() string { return f.path }

// Commit gives the file its name. Where that fails, nothing is left of it.
func (f *File) Commit() error {
	if f.InPlace() {
		return f.Close()
	}
	defer f.dir.Close()
	err := errors.Join(f.Sync(), f.Close())
	if err == nil && f.choose {
		err = f.take()
	}
	if err == nil {
		err = f.dir.Rename(f.temp, filepath.Base(f.path))
	}
	if err != nil {
		err = errors.Join(&os.PathError{Op: "write", Path: f.path, Err: bare(err)}, f.dir.Remove(f.temp))
	}
	return err
}

// numbers bounds the names that are tried.
const numbers = 1000

// take makes an empty file of a name that is free, which the whole one then replaces.
func (f *File) take() error {
	ending := filepath.Ext(f.path)
	first := strings.TrimSuffix(f.path, ending)
	for n := 2; n < numbers; n++ {
		empty, err := f.dir.OpenFile(filepath.Base(f.path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return empty.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		f.path = fmt.Sprintf("%s-%d%s", first, n, ending)
	}
	return errTaken
}

// Leave ends the file as far as it came, and returns what it is called for good.
func (f *File) Leave() (path string, err error) {
	err = f.Close()
	if f.InPlace() {
		return f.path, err
	}
	return filepath.Join(filepath.Dir(f.path), f.temp), errors.Join(err, f.dir.Close())
}

// Discard gives the file up: what its name stood for stays.
func (f *File) Discard() error {
	err := f.Close()
	if !f.InPlace() {
		err = errors.Join(err, f.dir.Remove(f.temp), f.dir.Close())
	}
	return err
}
