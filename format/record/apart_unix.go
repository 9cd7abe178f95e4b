//go:build unix

package record

import (
	"os/exec"
	"syscall"
)

func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
