package parquet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// An export that is interrupted, or fails, leaves no folder behind that it made. Several
// exports may write to the same folders: only empty ones are removed.

// attempts is how often a folder is made that another export removes before there
// is a file in it: it saw it empty.
const attempts = 4

// inFolder makes a file, and the folder it is in.
func (w *Folder) inFolder(dir, name string) (f *os.File, err error) {
	for range attempts {
		if err = w.makeAll(dir); err == nil {
			f, err = os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, err
}

// makeAll makes a folder with those around it, and remembers which were not there.
func (w *Folder) makeAll(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if outer := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && outer != dir {
		if err = w.makeAll(outer); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	if err != nil {
		return os.MkdirAll(dir, 0o777) // knows what is no error: an export was here before
	}
	w.made = append(w.made, dir)
	return nil
}

// unmake removes what was made, as far as it is empty.
func (w *Folder) unmake() {
	for _, dir := range slices.Backward(w.made) {
		_ = os.Remove(dir) // refuses if there is something in it
	}
	w.made = nil
}
