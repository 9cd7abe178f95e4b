//go:build !unix

package record

// noFollow has no meaning where no JVM is recorded.
const noFollow = 0
