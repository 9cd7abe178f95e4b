//go:build !linux

package record

import "syscall"

// apart is for perf, which Linux alone has.
func apart() *syscall.SysProcAttr { return nil }
