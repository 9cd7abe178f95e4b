//go:build unix

package foreign

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	noFollow = syscall.O_NOFOLLOW
	nonBlock = syscall.O_NONBLOCK
)

// Links is how many names a file has.
func Links(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

// rmdir removes a directory, and nothing else.
func rmdir(in *os.File, name string) error {
	return unix.Unlinkat(int(in.Fd()), name, unix.AT_REMOVEDIR)
}
