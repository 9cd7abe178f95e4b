//go:build !unix

package foreign

import (
	"io/fs"
	"os"
	"path/filepath"
)

// No process of others is recorded here.
const noFollow, nonBlock, directory = 0, 0, 0

// Links is not known here.
func Links(fs.FileInfo) int { return 1 }

func unlink(in *os.File, name string, _ int) error { return os.Remove(filepath.Join(in.Name(), name)) }
