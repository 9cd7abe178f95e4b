//go:build unix

package foreign

import (
	"io/fs"
	"syscall"
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

// Lock makes the directory this process's own until it is closed or the process ends, in
// whatever way; it reports whether no other process had it.
func (d *Dir) Lock() bool {
	return syscall.Flock(int(d.self.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
