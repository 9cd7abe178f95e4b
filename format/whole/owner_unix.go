//go:build unix

package whole

import (
	"io/fs"
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
