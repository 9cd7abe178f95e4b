package format

import (
	"errors"
	"fmt"
)

// The reasons an input cannot be read, or not to its end. Every *Error wraps
// exactly one.
var (
	ErrTruncated = errors.New("input ends early")
	ErrCorrupt   = errors.New("input is damaged")
	ErrVersion   = errors.New("version is not supported")
	ErrNotMine   = errors.New("input is of another kind")
	ErrLimit     = errors.New("input exceeds a limit")
)

// Pos is a place in an input: a line of text (counted from 1), or a byte.
type Pos struct {
	File string
	Off  int64
	Line int
}

// String returns "file:12" or "file:+0x4f2".
func (p Pos) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:+%#x", p.File, p.Off)
}

// Error has a position, what was read and the reason; it prints on one line.
type Error struct {
	Pos  Pos
	What string // the part of the input that was read
	Err  error  // one of the sentinels, possibly wrapped with detail
	Hint string // a remedy for the user; "" for none
}

// Error implements error. The hint is not part of it: cmd prints it separately.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Pos, e.What, e.Err) }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }
