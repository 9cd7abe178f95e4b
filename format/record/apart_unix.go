//go:build unix

package record

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// runs reports whether a process runs. One whose end its parent has not taken
// notice of does not.
func runs(pid int) bool {
	if err := syscall.Kill(pid, 0); pid <= 0 || err != nil && err != syscall.EPERM {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(stat[max(bytes.LastIndexByte(stat, ')'), 0):]), ") ")
	return err != nil || !found || state[0] != 'Z' && state[0] != 'X'
}
