package jfr

import (
	"bytes"
	"encoding/binary"
	"testing"

	"contend/format"
	"contend/golden"
)

// begun returns a reader that has read a chunk of a recording, and whose bytes
// may be added to.
func started(t *testing.T) *Reader {
	t.Helper()
	r := golden.Must(NewReader(bytes.NewReader(load(t, ours+"/truth-8threads.jfr")), "test.jfr", Options{}))(t)
	var ev format.Event
	if err := r.Read(&ev); err != nil || r.meta.parts.stack == nil || r.head.features&compressed == 0 {
		t.Fatal("no chunk with stacks: ", err)
	}
	return r
}

// grow adds bytes to the chunk and returns where they are.
func (r *Reader) grow(data ...byte) (at int) {
	at = len(r.buf)
	r.buf = append(bytes.Clone(r.buf), data...)
	return at
}

// Strings that are a constant which is another one, or themselves: a cycle of
// any length ends at the second.
func TestConstantsInCycles(t *testing.T) {
	r := started(t)
	const ping, pong, self = 1 << 20, 1<<20 + 1, 1<<20 + 2
	for key, next := range map[int64]uint64{ping: pong, pong: ping, self: self} {
		at := r.grow(append([]byte{stringConstant}, binary.AppendUvarint(nil, next)...)...)
		r.pools[r.meta.parts.texts].set(key, uint32(at)+1)
		if got := r.text(int64(at)); got != "" {
			t.Errorf("constant %d reads %q", key, got)
		}
	}
}
