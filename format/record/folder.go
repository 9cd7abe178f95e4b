package record

import (
	"errors"
	"os"
	"path/filepath"

	"contend/format/record/attach"
)

// folder is one in the target's own place for temporary files: both processes
// reach it, also where the target has another root, user or namespace. It
// belongs to the target's user, and nobody else can look into it.
type folder struct {
	ours, theirs string // the same folder, as each process sees it
	uid, gid     int
}

func newFolder(p *attach.Process) (*folder, error) {
	ours, theirs := p.Dir()
	dir, err := os.MkdirTemp(ours, "contend-")
	if err != nil {
		return nil, err
	}
	f := &folder{ours: dir, theirs: filepath.Join(theirs, filepath.Base(dir))}
	f.uid, f.gid = p.Owner()
	return f, errors.Join(os.Chmod(dir, 0o700), f.give(dir))
}

// give makes the target's user the owner.
func (f *folder) give(path string) error {
	if f.uid == os.Geteuid() {
		return nil
	}
	return os.Lchown(path, f.uid, f.gid)
}

// add makes a file and keeps it open: what is read later is this file, whatever
// its name has come to mean.
func (f *folder) add(name string, mode os.FileMode, content []byte) (*os.File, error) {
	path := filepath.Join(f.ours, name)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|noFollow, mode)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(content)
	return file, errors.Join(err, f.give(path))
}

// open opens a file the target has made.
func (f *folder) open(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(f.ours, name), os.O_RDONLY|noFollow, 0)
}

func (f *folder) path(name string) string { return f.theirs + "/" + name }

func (f *folder) remove() { _ = os.RemoveAll(f.ours) }
