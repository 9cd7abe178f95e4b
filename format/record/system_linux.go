package record

import (
	"os/exec"
	"syscall"

	"contend/format/record/attach"
	"contend/format/record/foreign"

	"golang.org/x/sys/unix"
)

// hole seeks to where a file has its first hole, at the latest its end.
const hole = unix.SEEK_HOLE

// apart has a process begin in a group of its own, and end with the thread that began it, as
// when contend is killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// owner is on whose behalf a process runs.
func owner(pid int) (foreign.User, error) { return attach.User(pid) }

// lower has perf read as a user what that user may read: the files that it finds names in are of
// whoever is recorded. The capabilities are what it needs to enter another root directory, and to read
// the names of the kernel.
func lower(c *exec.Cmd, u foreign.User) *exec.Cmd {
	u.Lower(c.SysProcAttr, unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_PTRACE, unix.CAP_SYSLOG)
	return c
}
