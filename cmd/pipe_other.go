//go:build !windows

package cmd

import (
	"errors"
	"syscall"
)

// closedPipe reports whether the reader of the answer has closed the pipe.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
