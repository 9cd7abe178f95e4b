//go:build !unix

package foreign

import (
	"io/fs"
	"os"
	"path/filepath"
)

// No process of others is recorded here.
const noFollow, nonBlock = 0, 0

// Links is not known here.
func Links(fs.FileInfo) int { return 1 }

func rmdir(in *os.File, name string) error { return os.Remove(filepath.Join(in.Name(), name)) }
