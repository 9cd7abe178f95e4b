package record

import "syscall"

// apart has a process begin in a group of its own, and end with the thread that began it, as
// when contend is killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
