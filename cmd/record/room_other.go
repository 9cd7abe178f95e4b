//go:build !linux && !darwin

package record

import "os"

// room is not used on systems without JVM recording.
func room(*os.File) (free uint64, ok bool) { return 0, false }
