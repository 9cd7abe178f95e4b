package atomicfile

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// File is a file being written. Commit, Keep, Leave or Discard ends it.
type File struct {
	*os.File
	path   string      // its final path
	dir    *os.Root    // nil if it is written in place
	temp   string      // its current name in dir; "" without one
	choose bool        // the final name may change, because the program chose it
	mode   fs.FileMode // its permissions, less those that the umask takes
	old    bool        // it replaces a file
}

var (
	errLink    = errors.New("a link of another user; name the file that it leads to")
	errSocket  = errors.New("is a socket")
	errPipe    = errors.New("a pipe of another user; make one of your own")
	errUnread  = errors.New("no process reads this pipe")
	errLoop    = errors.New("too many links")
	errDir     = errors.New("is a directory")
	errTaken   = errors.New("its name and others like it are taken")
	errShared  = errors.New("every user may replace files in this directory: chmod +t prevents that")
	errChanged = errors.New("another file took its place")
)

// maxLinks bounds the links in a path, as in the kernel.
const maxLinks = 40

// Create begins a new file, or the replacement of one, with the same permissions if that is
// this user's. It follows links and replaces their target. For a pipe it waits until a
// process reads it or ctx ends.
func Create(ctx context.Context, path string) (*File, error) {
	for range maxLinks {
		if isDescriptor(path) {
			return inPlace(ctx, path, nil)
		}
		dir, base, err := parent(path)
		if err != nil {
			return nil, err
		}
		info, err := dir.Lstat(base)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return in(&File{path: path, dir: dir, mode: 0o666}, nil)
		case err == nil && info.Mode().IsRegular():
			return in(&File{path: path, dir: dir, mode: 0o666}, info)
		}
		to := ""
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			to, err = dir.Readlink(base)
		}
		dir.Close()
		refused := errDir
		switch {
		case err != nil:
			refused = Cause(err)
		case info.Mode()&fs.ModeSocket != 0: // it could become a pipe, for whose reader nothing would end the wait
			refused = errSocket
		case info.Mode()&fs.ModeNamedPipe != 0 && others(info):
			refused = errPipe
		case to != "" && others(info):
			refused = errLink
		case to == "" && !info.IsDir():
			return inPlace(ctx, path, info)
		case to != "":
			if !filepath.IsAbs(to) {
				to = filepath.Dir(
					path,
				) + string(
					filepath.Separator,
				) + to // not cleaned: a directory in it may be a link
			}
			path = to
			continue
		}
		return nil, &os.PathError{Op: "open", Path: path, Err: refused}
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: errLoop}
}

// parent opens the directory of a file that the user named.
func parent(path string) (dir *os.Root, base string, err error) {
	in, base := filepath.Split(path)
	if base == "" {
		return nil, "", &os.PathError{Op: "open", Path: path, Err: errDir}
	}
	dir, err = open(cmp.Or(in, "."), false)
	return dir, base, err
}

// Open opens a directory that the user named, and creates it if missing. It follows no link
// of another user.
func Open(path string) (*os.Root, error) { return open(path, true) }

// alone is the mode of a file that is for this user.
const alone = 0o600

// New begins a file with a name that the program chose, for this user alone. It replaces
// nothing: if the name is in use at the end, even by a link, it gets a number.
func New(path string) (*File, error) {
	dir, _, err := parent(path)
	if err != nil {
		return nil, err
	}
	return in(&File{path: path, dir: dir, choose: true, mode: alone}, nil)
}

// NewIn is New in an open directory, independent of its path.
func NewIn(dir *os.Root, path string) (*File, error) {
	same, err := dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return in(&File{path: path, dir: same, choose: true, mode: alone}, nil)
}

// Replaces reports whether the file takes the place of another.
func (f *File) Replaces() bool { return f.old }

// Restrict leaves a file that replaces none to this user alone.
func (f *File) Restrict() error {
	if f.InPlace() || f.old {
		return nil
	}
	return f.Chmod(alone)
}

// others reports whether a file belongs to neither this user nor root.
func others(info fs.FileInfo) bool { return Owner(info) > 0 && Owner(info) != os.Geteuid() }

// Write writes a file with a name that the program chose, in a directory that the user
// named. It replaces a file or link of that name, and is for this user alone.
func Write(dir *os.Root, path string, content io.Reader) error {
	same, err := dir.OpenRoot(".")
	if err != nil {
		return err
	}
	f, err := in(&File{path: path, dir: same, mode: alone}, nil)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, content); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// Scratch creates a file without a name, which disappears when it is closed.
func Scratch() (*os.File, error) {
	if dir, err := os.OpenRoot(os.TempDir()); err == nil {
		defer dir.Close()
		if f := unnamed(dir, alone); f != nil {
			return f, nil
		}
	}
	f, err := os.CreateTemp("", "contend-*")
	if err == nil {
		_ = os.Remove(f.Name()) // on systems that can remove an open file
	}
	return f, err
}

// descriptors are paths of open files, which may be regular ones.
var descriptors = regexp.MustCompile(`^(/dev|/proc/[^/]+(/task/[^/]+)?)/fd/`)

func isDescriptor(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && descriptors.MatchString(abs)
}

// inPlace opens a descriptor or, if named is not nil, a device or pipe with that identity:
// a link that another user puts in its place is not followed.
func inPlace(ctx context.Context, path string, named fs.FileInfo) (*File, error) {
	flag := os.O_WRONLY | os.O_APPEND
	pipe := named != nil && named.Mode()&fs.ModeNamedPipe != 0
	if named != nil {
		flag |= noFollow
	}
	if pipe {
		flag |= nonBlock // otherwise no signal ends the wait for a reader
	}
	f, err := os.OpenFile(path, flag, 0)
	for pipe && errors.Is(err, syscall.ENXIO) {
		select {
		case <-ctx.Done():
			return nil, &os.PathError{Op: "open", Path: path, Err: errUnread}
		case <-time.After(20 * time.Millisecond):
			f, err = os.OpenFile(path, flag, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || named != nil && !os.SameFile(info, named) {
		return nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: fs.ErrExist}, f.Close())
	}
	return &File{File: f, path: path}, nil
}

// in creates a file in its directory, which it closes on failure, with the properties of
// the file it replaces, if there is one.
func in(f *File, old fs.FileInfo) (*File, error) {
	if err := f.make(old); err != nil {
		return nil, errors.Join(err, f.dir.Close())
	}
	return f, nil
}

// An incomplete file has another name: with the suffix part and, if that name is in use, a
// random one after it. Of 255 bytes, nameLength remain.
const (
	part       = ".part"
	nameLength = 255 - len("."+part+".ABCDEFGH")
)

func (f *File) make(old fs.FileInfo) (err error) {
	base := filepath.Base(f.path)
	if old != nil { // a file that may not be written is not replaced either
		writable, err := f.dir.OpenFile(base, os.O_WRONLY|nonBlock, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: f.path, Err: Cause(err)}
		}
		writable.Close()
	}
	if f.File = unnamed(f.dir, f.mode); f.File == nil {
		err = f.named()
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: f.path, Err: Cause(err)}
	}
	f.old = old != nil
	if old != nil && Owner(old) == os.Geteuid() {
		_ = f.Chmod(old.Mode().Perm())
	}
	return nil
}

// named creates the file under another name, if it cannot be unnamed.
func (f *File) named() error {
	if err := checkShared(f.dir.Stat(".")); err != nil {
		return err
	}
	return f.hide(func(name string) (err error) {
		if f.File, err = f.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, f.mode); err == nil {
			f.temp = name
			Lock(f.File)
		}
		return err
	})
}

// checkShared returns an error if every user may replace files in a directory.
func checkShared(dir fs.FileInfo, err error) error {
	if err == nil && Owner(dir) >= 0 && dir.Mode()&(fs.ModeSticky|0o002) == 0o002 {
		err = errShared
	}
	return err
}

// hide gives the file the name of an incomplete one; it fails if the name is in use. It
// removes the file of a killed process under that name.
func (f *File) hide(make func(name string) error) error {
	base := filepath.Base(f.path)
	if f.choose {
		base = "contend" // a name with the time in it would be no other's
	}
	name := "." + strings.ToValidUTF8(base[:min(len(base), nameLength)], "") + part
	err := make(name)
	if errors.Is(err, fs.ErrExist) && f.abandoned(name) {
		_ = f.dir.Remove(name)
		err = make(name)
	}
	if errors.Is(err, fs.ErrExist) {
		err = make(name + "." + rand.Text()[:8])
	}
	return err
}

// settled is the minimum age of an abandoned file: a younger one may be about to be locked.
const settled = 10 * time.Second

// abandoned reports whether a name is an incomplete file of this user that no process
// writes.
func (f *File) abandoned(name string) bool {
	named, err := f.dir.Lstat(name)
	if err != nil || !named.Mode().IsRegular() || others(named) || time.Since(named.ModTime()) < settled {
		return false
	}
	file, err := f.dir.OpenFile(name, os.O_RDONLY|noFollow|nonBlock, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	return err == nil && os.SameFile(info, named) && Lock(file)
}

// Cause returns the error of a file without its path.
func Cause(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// InPlace reports whether writes take effect immediately.
func (f *File) InPlace() bool { return f.dir == nil }

// Path returns the final path of the file; after New it is certain only after Commit.
func (f *File) Path() string { return f.path }

// Commit gives the file its name. If that fails, it leaves nothing behind.
func (f *File) Commit() error {
	_, err := f.Keep()
	return errors.Join(err, f.Close())
}

// Keep is Commit, but leaves the file open, so that the caller reads what was written even
// if the name changes its meaning.
func (f *File) Keep() (*os.File, error) {
	if f.InPlace() {
		return f.File, nil
	}
	defer f.dir.Close()
	err := f.Sync()
	if err == nil {
		err = f.name()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		err = errors.Join(&os.PathError{Op: "write", Path: f.path, Err: Cause(err)}, f.forget())
	}
	return f.File, err
}

// numbers bounds the numbered names that are tried.
const numbers = 1000

// name gives the file its name, or the first free one if the name may change.
func (f *File) name() (err error) {
	if !f.choose {
		if f.temp == "" {
			if err = f.takeName(filepath.Base(f.path)); !errors.Is(err, fs.ErrExist) {
				return err
			}
			Lock(f.File)
			if err = f.hide(f.takeName); err != nil {
				return err
			}
		}
		return f.rename(filepath.Base(f.path))
	}
	ending := filepath.Ext(f.path)
	first := strings.TrimSuffix(f.path, ending)
	for n := 2; n < numbers; n++ {
		if err = f.takeName(filepath.Base(f.path)); !errors.Is(err, fs.ErrExist) {
			return err
		}
		f.path = fmt.Sprintf("%s-%d%s", first, n, ending)
	}
	return errTaken
}

// takeName gives the file a free name. The error is fs.ErrExist if it is not free.
func (f *File) takeName(name string) error {
	if f.temp == "" {
		if err := link(f.File, f.dir, name); err != nil {
			return err
		}
		f.temp = name
		return nil
	}
	empty, err := f.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(empty.Close(), f.rename(name))
}

// rename replaces the file of a name. If another user may rename files there, it checks
// afterwards that the name is this file's.
func (f *File) rename(name string) error {
	if err := f.dir.Rename(f.temp, name); err != nil {
		return err
	}
	f.temp = name
	named, err := f.dir.Lstat(name)
	if err != nil {
		return err
	}
	own, err := f.Stat()
	if err == nil && !os.SameFile(own, named) {
		f.temp, err = "", errChanged // the other file stays
	}
	return err
}

// Leave keeps the incomplete file and returns its path; the file to be replaced stays.
func (f *File) Leave() (path string, err error) {
	if f.InPlace() {
		return f.path, f.Close()
	}
	f.path, f.choose = f.path+part, true
	err = f.name()
	return f.path, errors.Join(err, f.Close(), f.dir.Close())
}

// Discard removes the file; the file to be replaced stays.
func (f *File) Discard() error {
	if f.InPlace() {
		return f.Close()
	}
	return errors.Join(f.Close(), f.forget(), f.dir.Close())
}

// forget removes the current name of the file.
func (f *File) forget() error {
	if f.temp == "" {
		return nil
	}
	err := f.dir.Remove(f.temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
