//go:build !linux

package record

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"contend/cmd/record/foreign"
)

// Only this user's own processes are recorded here.
const hole = io.SeekEnd

// apart does nothing: perf exists on Linux only.
func apart() *syscall.SysProcAttr { return nil }

// clearTo makes the file shorter: the agent goes on at its own offset.
func clearTo(f *os.File, _ int64) error { return f.Truncate(0) }

func owner(int) (foreign.User, error) { return foreign.Self(), nil }

func start(c *exec.Cmd, _ foreign.User) error { return c.Start() }
