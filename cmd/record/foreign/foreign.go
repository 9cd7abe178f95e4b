package foreign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"contend/cmd/atomicfile"
)

// User is the user for whom files are made, and the rights to use.
type User struct {
	UID, GID int
	Caps     uint64 // capabilities of Linux, in this process's user namespace; of 0 it has none
	Apart    bool   // it has another mount namespace, which only root made: it has the same user namespace
}

// Self is the user of this process, with all its rights.
func Self() User { return User{UID: os.Geteuid(), GID: os.Getegid(), Caps: ^uint64(0)} }

// Dir is an open directory: names are looked up in it, even if its own path changes.
type Dir struct {
	User   User
	root   *os.Root
	self   *os.File
	shared error // why nothing is made here; nil if it is safe
	alone  bool  // only the user can read it
}

var (
	errKind    = errors.New("not a file")
	errChanged = errors.New("another file took its place")
	errOwner   = errors.New("belongs to another user")
)

// OpenPath opens the directory of a path of this process, such as a link of /proc.
func OpenPath(path string, u User) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return hold(root, path, u)
}

// OpenOwn opens a directory that the user of this program named, and creates it if missing. The
// error is a *SharedError if other users may replace files in it.
func OpenOwn(path string) (*Dir, error) {
	root, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := hold(root, path, Self())
	if err == nil && d.shared != nil {
		err = errors.Join(d.shared, d.Close())
	}
	return d, err
}

// hold makes a Dir of a root, which it closes on failure.
func hold(root *os.Root, path string, u User) (*Dir, error) {
	self, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	info, err := self.Stat()
	if err != nil {
		return nil, errors.Join(err, self.Close(), root.Close())
	}
	return &Dir{User: u, root: root, self: self, shared: exclusive(path, info, u.UID)}, nil
}

// SharedError says that users other than the process's and root may replace files in a
// directory.
type SharedError struct {
	Path  string // as the process sees it
	Owner int
	Mode  fs.FileMode
}

func (e *SharedError) Error() string {
	return fmt.Sprintf(
		"%s, of user %s and mode %04o, lets other users exchange what is made in it",
		e.Path,
		Name(e.Owner),
		e.Mode.Perm(),
	)
}

// Hint returns a remedy.
func (e *SharedError) Hint() string {
	if os.Geteuid() != 0 {
		return "where no other user runs that reaches it, as in a container of one user, --trust-tmp records; " +
			"else root can chmod +t it"
	}
	if e.Mode.Perm()&0o022 != 0 {
		return "chmod +t " + e.Path + ", as the process sees it, lets each user change only what is its own"
	}
	return "give " + e.Path + ", as the process sees it, to root or to the user of the process"
}

// Name returns the local name of a user, and the number.
func Name(uid int) string {
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username + " (" + number + ")"
	}
	return number
}

// exclusive returns a *SharedError if users other than root and the given ones may replace
// files in a directory, or a link.
func exclusive(path string, info fs.FileInfo, users ...int) error {
	owner, mode := atomicfile.Owner(info), info.Mode()
	open := owner >= 0 && mode.IsDir() && mode.Perm()&0o022 != 0 && mode&fs.ModeSticky == 0
	if open || owner > 0 && !slices.Contains(users, owner) {
		return &SharedError{path, owner, mode}
	}
	return nil
}

// File returns the directory itself, which Close closes.
func (d *Dir) File() *os.File { return d.self }

// Root returns the directory for files of this process.
func (d *Dir) Root() *os.Root { return d.root }

// Trust allows files in the directory even if other users may replace them. It returns the
// error that it overrides; root, who can change the mode, is refused.
func (d *Dir) Trust() (why error) {
	if os.Geteuid() != 0 {
		why, d.shared = d.shared, nil
	}
	return why
}

// Close releases the directory and its lock.
func (d *Dir) Close() error {
	if d == nil {
		return nil
	}
	return errors.Join(d.self.Close(), d.root.Close())
}

// List returns at most most entries and gives up after patience: other users may fill a
// directory with any number of names.
const most = 1 << 13

var patience = time.Second // tests have more

// List describes the user's files whose names match a pattern of path.Match, links
// themselves, in order of names.
func (d *Dir) List(pattern string) (list []fs.FileInfo) {
	_ = d.User.Do(func() error {
		dir, err := d.root.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		for begun := time.Now(); len(list) < most && time.Since(begun) < patience; {
			names, err := dir.Readdirnames(1 << 8)
			for _, name := range names {
				if fits, _ := path.Match(pattern, name); !fits {
					continue
				}
				if info, err := d.root.Lstat(name); err == nil && atomicfile.Owner(info) == d.User.UID {
					list = append(list, info)
				}
			}
			if err != nil {
				break
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// Lstat describes the file of a name, or the link itself.
func (d *Dir) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.User.Do(func() error {
		info, err = d.root.Lstat(name)
		return err
	})
	return info, err
}

// Create creates a file of the user that no other user can read, and returns it open for
// reading and writing, so that later changes of the name do not matter. The error is an
// fs.ErrExist if the name is in use, even by a link.
func (d *Dir) Create(name string, content []byte) (f *os.File, err error) {
	if d.shared != nil {
		return nil, d.shared
	}
	err = d.User.Do(func() error {
		if f, err = d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR|noFollow, 0o600); err != nil {
			return err
		}
		if err = d.owns(f, 0); err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			err = errors.Join(err, f.Close(), d.root.Remove(name))
			f = nil
		}
		return err
	})
	return f, err
}

// Mkdir creates a directory of the user that no other user can read.
func (d *Dir) Mkdir(name string) (made *Dir, err error) {
	if d.shared != nil {
		return nil, d.shared
	}
	if err := d.User.Do(func() error { return d.root.Mkdir(name, 0o700) }); err != nil {
		return nil, err
	}
	if made, err = d.Sub(name); err != nil {
		err = errors.Join(err, d.User.Do(func() error { return unlink(d.self, name, directory) }))
	}
	return made, err
}

// Sub opens a directory of the user in this one, if no other user can read one of the two.
func (d *Dir) Sub(name string) (sub *Dir, err error) {
	err = d.User.Do(func() error {
		root, err := d.root.OpenRoot(name)
		if err != nil {
			return err
		}
		if sub, err = hold(root, name, d.User); err != nil {
			return err
		}
		if err = d.owns(sub.self, fs.ModeDir); err == nil && !d.Held(name, sub) { // a link led there
			err = &os.PathError{Op: "open", Path: name, Err: errChanged}
		}
		if err != nil {
			err = errors.Join(err, sub.Close())
			sub = nil
			return err
		}
		sub.alone = true
		return nil
	})
	return sub, err
}

// Open opens a regular file for reading. It need not be the user's own, but readable for
// the user.
func (d *Dir) Open(name string) (f *os.File, err error) {
	err = d.User.Do(func() error {
		f, err = d.open(name)
		return err
	})
	return f, err
}

// Read reads a file as Open opens it, at most a number of bytes: its user may let it grow for ever.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// owns returns an error if an open file is not of this type, or not the user's.
func (d *Dir) owns(f *os.File, kind fs.FileMode) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.Mode().Type() != kind:
		return &os.PathError{Op: "open", Path: f.Name(), Err: errKind}
	case atomicfile.Owner(info) != d.User.UID || kind == fs.ModeDir && !d.alone && info.Mode().Perm()&0o077 != 0:
		return &os.PathError{Op: "open", Path: f.Name(), Err: errOwner}
	}
	return nil
}

// Remove removes a file or a link of the user, but no directory.
func (d *Dir) Remove(name string) error {
	return d.User.Do(func() error {
		info, err := d.root.Lstat(name)
		if err == nil && atomicfile.Owner(info) != d.User.UID {
			err = &os.PathError{Op: "remove", Path: name, Err: errOwner}
		}
		if err != nil {
			return err
		}
		return unlink(d.self, name, 0)
	})
}

// Rmdir removes an empty directory if its name still leads to it: another directory of that
// name may be another user's, and stays.
func (d *Dir) Rmdir(name string, sub *Dir) error {
	if !d.Held(name, sub) {
		return &os.PathError{Op: "remove", Path: name, Err: errChanged}
	}
	return d.User.Do(func() error { return unlink(d.self, name, directory) })
}

// Lock locks the directory for this process until it is closed or the process ends in any
// way; it reports whether no other process had locked it.
func (d *Dir) Lock() bool { return atomicfile.Lock(d.self) }

// Held reports whether a directory made by Mkdir still has its name.
func (d *Dir) Held(name string, sub *Dir) bool {
	named, err := d.root.Lstat(name)
	if err != nil {
		return false
	}
	info, err := sub.self.Stat()
	return err == nil && os.SameFile(named, info)
}
