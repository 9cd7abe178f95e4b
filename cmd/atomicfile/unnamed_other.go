//go:build !linux

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// unnamed creates no file: each has a name here.
func unnamed(*os.Root, fs.FileMode) *os.File { return nil }

// link is not called.
func link(*os.File, *os.Root, string) error { return os.ErrInvalid }

// open opens a directory that the user named, unless the path is another user's link.
func open(path string, make bool) (*os.Root, error) {
	if make {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
	}
	info, err := os.Lstat(filepath.Clean(path))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && others(info) {
		err = &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(path)
}
