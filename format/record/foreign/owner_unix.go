//go:build unix

package foreign

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	noFollow  = syscall.O_NOFOLLOW
	nonBlock  = syscall.O_NONBLOCK
	directory = unix.AT_REMOVEDIR
)

// Links is how many names a file has.
func Links(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

// unlink removes a file or a link, or with the flag directory an empty one, and nothing else.
func unlink(in *os.File, name string, flag int) error {
	return unix.Unlinkat(int(in.Fd()), name, flag)
}
