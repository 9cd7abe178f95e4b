//go:build !linux

package whole

import "os"

// unnamed makes no file: each has a name here.
func unnamed(*os.Root) *os.File { return nil }

// link is not called.
func link(*os.File, *os.Root, string) error { return os.ErrInvalid }
