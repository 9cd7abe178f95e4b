//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

const nonBlock, noFollow = 0, 0

// Owner is unknown here.
func Owner(fs.FileInfo) (uid int) { return -1 }

// Lock does nothing here.
func Lock(*os.File) bool { return false }
