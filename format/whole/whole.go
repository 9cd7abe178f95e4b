// Package whole writes files that carry their name only once they are whole. Until then no
// name leads to them where the file system knows such files (Linux); elsewhere they grow
// beside it, under another name. A full disk or the end of the program leaves what the name
// stood for as it was. Devices, pipes, and what lies below /dev and /proc, are written to in
// place. It refuses to follow a link of another user's, and trusts no name in a directory
// where others may exchange them.
package whole

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

// File is one in the making. Commit, Keep, Leave or Discard ends it.
type File struct {
	*os.File
	path   string      // what it will be called
	dir    *os.Root    // nil where it is written in place
	temp   string      // what it is called in dir; "" while it has no name
	choose bool        // the name may change: it stands for nothing else
	mode   fs.FileMode // its permissions, less those that the umask takes
}

var (
	errLink    = errors.New("a link of another user; name the file that it leads to")
	errPipe    = errors.New("a pipe of another user; make one of your own")
	errUnread  = errors.New("no process reads this pipe")
	errLoop    = errors.New("too many links")
	errDir     = errors.New("is a directory")
	errTaken   = errors.New("its name and others like it are taken")
	errShared  = errors.New("every user may replace files in this directory: chmod +t prevents that")
	errChanged = errors.New("another file took its place")
)

// maxLinks is how many links a name may lead through, as for the kernel.
const maxLinks = 40

// Create begins what is to replace a file, with the same permissions where that is this
// user's, or to be a new one. Links are followed: it is the file they lead to that is
// replaced. A pipe is waited for until somebody reads it or ctx ends.
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
			refused = bare(err)
		case info.Mode()&fs.ModeNamedPipe != 0 && others(info):
			refused = errPipe
		case to != "" && others(info):
			refused = errLink
		case to == "" && !info.IsDir():
			return inPlace(ctx, path, info)
		case to != "":
			if !filepath.IsAbs(to) {
				to = filepath.Dir(path) + string(filepath.Separator) + to // not cleaned: a directory in it may be a link
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

// Open opens a directory that the user named, made where there is none. No link of another
// user's leads there.
func Open(path string) (*os.Root, error) { return open(path, true) }

// alone is the mode of a file that is for this user.
const alone = 0o600

// New begins a file of which the program chose the name, for this user alone. It replaces
// nothing: where the name is taken in the end, by a link too, it gets a number.
func New(path string) (*File, error) {
	dir, _, err := parent(path)
	if err != nil {
		return nil, err
	}
	return in(&File{path: path, dir: dir, choose: true, mode: alone}, nil)
}

// NewIn is New in a directory that is open, whatever its path leads to by now.
func NewIn(dir *os.Root, path string) (*File, error) {
	same, err := dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return in(&File{path: path, dir: same, choose: true, mode: alone}, nil)
}

// others reports whether a file belongs to neither this user nor root.
func others(info fs.FileInfo) bool { return Owner(info) > 0 && Owner(info) != os.Geteuid() }

// Write writes a file of which the program chose the name, in a directory that the user
// named: what has the name is replaced, a link too. It is for this user alone.
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

// Scratch makes a file that no name leads to, and that is gone when it is closed.
func Scratch() (*os.File, error) {
	if dir, err := os.OpenRoot(os.TempDir()); err == nil {
		defer dir.Close()
		if f := unnamed(dir, alone); f != nil {
			return f, nil
		}
	}
	f, err := os.CreateTemp("", "contend-*")
	if err == nil {
		_ = os.Remove(f.Name()) // here where it can be while it is open
	}
	return f, err
}

// descriptors are paths of open files, which may be regular ones.
var descriptors = regexp.MustCompile(`^(/dev|/proc/[^/]+(/task/[^/]+)?)/fd/`)

func isDescriptor(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && descriptors.MatchString(abs)
}

// inPlace opens a descriptor or, where named is not nil, what was seen to be no file: a
// link that another user puts there meanwhile leads nowhere.
func inPlace(ctx context.Context, path string, named fs.FileInfo) (*File, error) {
	flag := os.O_WRONLY | os.O_APPEND
	pipe := named != nil && named.Mode()&fs.ModeNamedPipe != 0
	if named != nil {
		flag |= noFollow
	}
	if pipe {
		flag |= nonBlock // else no signal ends what waits for a reader
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

// in makes a file in its directory, which it closes, like the one it is to replace, if there is one.
func in(f *File, old fs.FileInfo) (*File, error) {
	if err := f.make(old); err != nil {
		return nil, errors.Join(err, f.dir.Close())
	}
	return f, nil
}

// Until a file is whole its name is another one: with part behind it, and where that is
// taken, with something that is chosen by chance, too. Of 255 bytes nameLength are left.
const (
	part       = ".part"
	nameLength = 255 - len("."+part+".ABCDEFGH")
)

func (f *File) make(old fs.FileInfo) (err error) {
	base := filepath.Base(f.path)
	if old != nil { // what may not be written is not replaced either
		writable, err := f.dir.OpenFile(base, os.O_WRONLY|nonBlock, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: f.path, Err: bare(err)}
		}
		writable.Close()
	}
	if f.File = unnamed(f.dir, f.mode); f.File == nil {
		err = f.named()
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: f.path, Err: bare(err)}
	}
	if old != nil && Owner(old) == os.Geteuid() {
		_ = f.Chmod(old.Mode().Perm())
	}
	return nil
}

// named makes the file under another name, where none without a name can be made.
func (f *File) named() error {
	if err := apart(f.dir.Stat(".")); err != nil {
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

// apart returns an error where every user may exchange the names in a directory.
func apart(dir fs.FileInfo, err error) error {
	if err == nil && Owner(dir) >= 0 && dir.Mode()&(fs.ModeSticky|0o002) == 0o002 {
		err = errShared
	}
	return err
}

// hide makes the file have the name of one that is not whole, in a way that fails where there
// is one. What a process left there that was killed goes.
func (f *File) hide(make func(name string) error) error {
	base := filepath.Base(f.path)
	if f.choose {
		base = "contend" // a name with the time in it would be no other's
	}
	name := "." + strings.ToValidUTF8(base[:min(len(base), nameLength)], "") + part
	err := make(name)
	if errors.Is(err, fs.ErrExist) && f.left(name) {
		_ = f.dir.Remove(name)
		err = make(name)
	}
	if errors.Is(err, fs.ErrExist) {
		err = make(name + "." + rand.Text()[:8])
	}
	return err
}

// settled is how old a file is at least that was left: a younger one may be locked in a moment.
const settled = 10 * time.Second

// left reports whether a name is that of a file of this user's that no process writes any more.
func (f *File) left(name string) bool {
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

// bare is what is wrong, without a name.
func bare(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// InPlace reports whether what is written is out at once.
func (f *File) InPlace() bool { return f.dir == nil }

// Path is what the file is called, or is to be called, and after New and Commit is called.
func (f *File) Path() string { return f.path }

// Commit gives the file its name. Where that fails, nothing is left of it.
func (f *File) Commit() error {
	_, err := f.Keep()
	return errors.Join(err, f.Close())
}

// Keep is Commit, and leaves the file open: what is read from its start is what was written,
// whatever its name has come to mean.
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
		err = errors.Join(&os.PathError{Op: "write", Path: f.path, Err: bare(err)}, f.forget())
	}
	return f.File, err
}

// numbers bounds the names that are tried.
const numbers = 1000

// name gives the file its name: where that may change the first that is free.
func (f *File) name() (err error) {
	if !f.choose {
		if f.temp == "" {
			if err = f.take(filepath.Base(f.path)); !errors.Is(err, fs.ErrExist) {
				return err
			}
			Lock(f.File)
			if err = f.hide(f.take); err != nil {
				return err
			}
		}
		return f.rename(filepath.Base(f.path))
	}
	ending := filepath.Ext(f.path)
	first := strings.TrimSuffix(f.path, ending)
	for n := 2; n < numbers; n++ {
		if err = f.take(filepath.Base(f.path)); !errors.Is(err, fs.ErrExist) {
			return err
		}
		f.path = fmt.Sprintf("%s-%d%s", first, n, ending)
	}
	return errTaken
}

// take gives the file a name that is free. The error is an fs.ErrExist where it is not.
func (f *File) take(name string) error {
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

// rename replaces what a name stands for. Where another user may exchange names, it is this
// file only if that is seen afterwards.
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
		f.temp, err = "", errChanged // the other stays
	}
	return err
}

// Leave ends the file as far as it came, and returns what it is called for good: what its name
// stood for stays.
func (f *File) Leave() (path string, err error) {
	if f.InPlace() {
		return f.path, f.Close()
	}
	f.path, f.choose = f.path+part, true
	err = f.name()
	return f.path, errors.Join(err, f.Close(), f.dir.Close())
}

// Discard gives the file up: what its name stood for stays.
func (f *File) Discard() error {
	if f.InPlace() {
		return f.Close()
	}
	return errors.Join(f.Close(), f.forget(), f.dir.Close())
}

// forget removes the name that the file has by now.
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
