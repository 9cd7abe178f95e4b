//go:build !windows

package cmd

import (
	"errors"
	"syscall"
)

// closedPipe reports whether whoever read the answer has enough.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
