package cmd

import (
	"errors"
	"syscall"
)

// What Windows says of a pipe whose reader has gone: ERROR_BROKEN_PIPE, and
// ERROR_NO_DATA while it closes.
const (
	errorBrokenPipe syscall.Errno = 109
	errorNoData     syscall.Errno = 232
)

// closedPipe reports whether whoever read the answer has enough.
func closedPipe(err error) bool {
	return errors.Is(err, errorBrokenPipe) || errors.Is(err, errorNoData)
}
