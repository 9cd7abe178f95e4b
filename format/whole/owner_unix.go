//go:build unix

package whole

import (
	"io/fs"
	"os"
	"syscall"
)

const nonBlock, noFollow = syscall.O_NONBLOCK, syscall.O_NOFOLLOW

// Owner is the user a file belongs to.
func Owner(info fs.FileInfo) (uid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// Lock makes a file or directory this process's own until it is closed or the process ends,
// in whatever way; it reports whether no other process had it.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
