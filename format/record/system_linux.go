package record

import (
	"os/exec"
	"syscall"

	"contend/format/record/attach"
	"contend/format/record/foreign"

	"golang.org/x/sys/unix"
)

// hole seeks to the first hole of a file, or to its end.
const hole = unix.SEEK_HOLE

// apart puts a process in its own group, and ends it with the thread that started it, also
// if contend is killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
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
