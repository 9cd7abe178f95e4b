//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

const nonBlock, noFollow = syscall.O_NONBLOCK, syscall.O_NOFOLLOW

// Owner returns the user id of a file's owner; -1 if unknown.
func Owner(info fs.FileInfo) (uid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// Lock locks a file or directory for this process until it is closed or the process ends in
// any way; it reports whether no other process had locked it.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
