package whole

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed makes a file in a directory that no name leads to, and that is gone with this
// process; nil where the file system knows none, or no path leads to descriptors.
func unnamed(dir *os.Root, mode fs.FileMode) *os.File {
	in, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer in.Close()
	fd, err := unix.Openat(int(in.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(mode))
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir.Name())
	if _, err := os.Stat(Descriptor(f)); err != nil {
		f.Close()
		return nil
	}
	return f
}

// link gives an unnamed file a name that is free.
func link(f *os.File, dir *os.Root, name string) error {
	in, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer in.Close()
	return unix.Linkat(unix.AT_FDCWD, Descriptor(f), int(in.Fd()), name, unix.AT_SYMLINK_FOLLOW)
}

// Descriptor is a path of an open file that no renaming changes.
func Descriptor(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
