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

// A stack a million frames deep is cut, one that only says so is none.
func TestDeepStacks(t *testing.T) {
	r := started(t)
	const deep, lying = 1 << 20, 1<<20 + 1
	head := binary.AppendUvarint([]byte{0}, 1<<20) // not truncated, the number of frames
	for key, bytes := range map[int64]int{deep: 8 << 20, lying: 0} {
		at := r.grow(append(head, make([]byte, bytes)...)...)
		r.pools[r.meta.parts.stack.pool].set(key, uint32(at)+1)
		want := 0
		if key == deep {
			want = maxFrames
		}
		if frames, _, _ := r.stackFrames(key); len(frames) != want {
			t.Errorf("%d frames behind %d bytes, want %d", len(frames), bytes, want)
		}
		r.buf = r.buf[:at]
	}
}
