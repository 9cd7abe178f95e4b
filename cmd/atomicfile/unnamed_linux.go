package atomicfile

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name in a directory, which disappears with this process;
// nil if the file system does not support that, or descriptors have no path.
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

// link gives an unnamed file a free name.
func link(f *os.File, dir *os.Root, name string) error {
	in, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer in.Close()
	return unix.Linkat(unix.AT_FDCWD, Descriptor(f), int(in.Fd()), name, unix.AT_SYMLINK_FOLLOW)
}

// Descriptor returns a path of an open file that no renaming changes.
func Descriptor(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
