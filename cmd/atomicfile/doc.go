// Package atomicfile replaces files atomically: a file gets its name when it is complete, so a
// full disk or a crash leaves the old file intact. Until then it has no name (Linux), or
// another name beside the final one. Devices, pipes and paths below /dev and /proc are
// written in place. The package follows no link of another user, and trusts no name in a
// directory where other users may replace files.
package atomicfile
