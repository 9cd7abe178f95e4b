//go:build !unix

package foreign

import "io/fs"

// No process of others is recorded here.
const noFollow, nonBlock = 0, 0

// Links is not known here.
func Links(fs.FileInfo) int { return 1 }
