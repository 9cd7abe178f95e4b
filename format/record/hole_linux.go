package record

import "golang.org/x/sys/unix"

// hole seeks to where a file has its first hole, at the latest its end.
const hole = unix.SEEK_HOLE
