//go:build !unix

package foreign

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Processes of other users are not recorded here.
const noFollow, nonBlock, directory = 0, 0, 0

// Links is unknown here.
func Links(fs.FileInfo) int { return 1 }

func unlink(in *os.File, name string, _ int) error { return os.Remove(filepath.Join(in.Name(), name)) }
