//go:build linux || darwin

package record

import (
	"os"
	"syscall"
)

// room returns the free space of a directory's file system, in bytes.
func room(dir *os.File) (free uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(dir.Fd()), &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
