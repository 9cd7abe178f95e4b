package cmd

import (
	"errors"
	"syscall"
)

// The errors of Windows for a pipe whose reader has closed it: ERROR_BROKEN_PIPE, and
// ERROR_NO_DATA while it closes.
const (
	errorBrokenPipe syscall.Errno = 109
	errorNoData     syscall.Errno = 232
)

// closedPipe reports whether the reader of the answer has closed the pipe.
func closedPipe(err error) bool {
	return errors.Is(err, errorBrokenPipe) || errors.Is(err, errorNoData)
}
