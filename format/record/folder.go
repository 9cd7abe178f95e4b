package record

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"contend/format/record/attach"
)

// folder is one in the target's own place for temporary files: both processes
// reach it, also where the target has another root, user or namespace. It
// belongs to the target's user, and nobody else can look into it. It is held
// open: the way to it ends with the target, what is in it must not.
type folder struct {
	name     string
	parent   *os.Root
	here     *os.Root
	theirs   string // as the target sees it
	uid, gid int
}

func newFolder(p *attach.Process) (*folder, error) {
	ours, theirs := p.Dir()
	parent, err := os.OpenRoot(ours)
	if err != nil {
		return nil, err
	}
	f := &folder{name: fmt.Sprintf("contend-%d-%s", p.PID, rand.Text()[:16]), parent: parent, theirs: theirs}
	f.uid, f.gid = p.Owner()
	if err := parent.Mkdir(f.name, 0o700); err != nil {
		return nil, errors.Join(err, parent.Close())
	}
	if f.here, err = parent.OpenRoot(f.name); err == nil {
		err = f.give(parent, f.name)
	}
	if err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

// give makes the target's user the owner.
func (f *folder) give(in *os.Root, name string) error {
	if f.uid == os.Geteuid() {
		return nil
	}
	return in.Lchown(name, f.uid, f.gid)
}

// add makes a file and keeps it open: what is read later is this file, whatever
// its name has come to mean.
func (f *folder) add(name string, mode os.FileMode, content []byte) (*os.File, error) {
	file, err := f.here.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(content)
	return file, errors.Join(err, f.give(f.here, name))
}

// open opens a file the target has made.
func (f *folder) open(name string) (*os.File, error) { return openFile(f.here, name) }

// openFile opens a file that others can put something else in the place of: only if it is
// a file itself, no link to one. A Root keeps links inside it, and follows them.
func openFile(in *os.Root, name string) (*os.File, error) {
	named, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("not a file")}
	}
	file, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(named, opened) {
		file.Close()
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("another file took its place")}
	}
	return file, nil
}

func (f *folder) touch(name string, now time.Time) { _ = f.here.Chtimes(name, now, now) }

func (f *folder) drop(name string) { _ = f.here.Remove(name) }

func (f *folder) path(name string) string { return f.theirs + "/" + f.name + "/" + name }

func (f *folder) remove() {
	_ = f.parent.RemoveAll(f.name)
	if f.here != nil {
		f.here.Close()
	}
	f.parent.Close()
}
