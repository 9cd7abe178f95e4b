package jfr

import (
	"io"
)

// ChunkKey identifies a chunk: when and by which clock it began, and how long it
// is. A dump of a running recording holds the chunks of the dump before it
// again, byte for byte.
type ChunkKey struct{ size, constants, startNanos, durationNanos, startTicks int64 }

func (h *header) key() ChunkKey {
	return ChunkKey{h.size, h.constants, h.startNanos, h.durationNanos, h.startTicks}
}

// Skipper is an input that can skip bytes, such as a bufio.Reader. Discard returns an error
// if the input ends before.
type Skipper interface {
	io.Reader
	Discard(n int) (int, error)
}

// Chunks returns the keys of the chunks that an input has whole, up to the first
// that is not.
func Chunks(in Skipper) (keys []ChunkKey) {
	head := make([]byte, headerSize)
	for {
		if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
			return keys
		}
		h := parseHeader(head)
		if h.size < headerSize || h.size > maxChunk {
			return keys
		}
		if _, err := in.Discard(int(h.size - headerSize)); err != nil {
			return keys
		}
		keys = append(keys, h.key())
	}
}
