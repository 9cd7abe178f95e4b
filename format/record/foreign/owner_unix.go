//go:build unix

package foreign

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

const (
	noFollow  = syscall.O_NOFOLLOW
	nonBlock  = syscall.O_NONBLOCK
	directory = syscall.O_DIRECTORY
)

// Owner is the user a file belongs to.
func Owner(info fs.FileInfo) (uid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// Links is how many names a file has.
func Links(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

// Name is what a user is called here, and its number.
func Name(uid int) string {
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username + " (" + number + ")"
	}
	return number
}

// Lock makes the directory this process's own until it is closed or the process ends, in
// whatever way; it reports whether no other process had it.
func (d *Dir) Lock() bool {
	return syscall.Flock(int(d.self.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
