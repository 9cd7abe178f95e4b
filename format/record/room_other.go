//go:build !linux && !darwin

package record

import "os"

// room is not asked for where no JVM is recorded.
func room(*os.File) (free uint64, ok bool) { return 0, false }
