//go:build unix

package foreign

import (
	"errors"
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

// Links returns the number of names of a file.
func Links(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

// unlink removes a file or a link, or with the flag directory an empty one, and nothing else.
func unlink(in *os.File, name string, flag int) error {
	held, err := in.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = held.Control(func(fd uintptr) { failed = unix.Unlinkat(int(fd), name, flag) })
	return errors.Join(err, failed)
}
