//go:build unix

package whole

import (
	"io/fs"
	"syscall"
)

const nonBlock = syscall.O_NONBLOCK

// owner is the user a file belongs to.
func owner(info fs.FileInfo) (uid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
