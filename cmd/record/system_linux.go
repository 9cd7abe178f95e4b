package record

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"

	"golang.org/x/sys/unix"
)

// hole seeks to the first hole of a file, or to its end.
const hole = unix.SEEK_HOLE

// apart gives a process a session of its own, and ends it with the thread that started it, also
// if contend is killed. The user of the recorded program may get hold of a process that runs
// for that user: it must not have contend's terminal.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// clearTo replaces the beginning of a file by a hole. Shortening the file instead would lose
// what the agent writes at that moment; it is done where the file system has no holes, since the
// agent goes on at its own offset.
func clearTo(f *os.File, end int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, end)
	if errors.Is(err, errors.ErrUnsupported) {
		err = f.Truncate(0)
	}
	return err
}

// owner returns the user for whom a process runs.
func owner(pid int) (foreign.User, error) { return attach.User(pid) }

// start starts perf with the rights of a user, because the files with symbols belong to the
// recorded user. The capabilities are those needed to read the names of the kernel and, of a
// program with its own mounts, to enter these.
func start(c *exec.Cmd, u foreign.User) error {
	keep := []uintptr{unix.CAP_SYSLOG}
	if u.Apart {
		keep = append(keep, unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_PTRACE)
	}
	return u.Start(c, keep...)
}
