//go:build unix

package record

import "syscall"

// noFollow keeps a file from being opened through a link.
const noFollow = syscall.O_NOFOLLOW
