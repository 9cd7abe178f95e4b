package format

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A varint means what the library reads out of it, whatever follows it, however
// little, and whatever it is not.
func TestVarintsAreThoseOfTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := binary.AppendUvarint(nil, rapid.Uint64().Draw(t, "value")>>rapid.IntRange(0, 63).Draw(t, "shift"))
		if rapid.Bool().Draw(t, "no varint") {
			head = rapid.SliceOfN(rapid.ByteRange(0x70, 0xff), 0, 12).Draw(t, "bytes")
		}
		src := slices.Concat(head, rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "behind"))
		want, n := binary.Uvarint(src)
		var list [1]uint64
		rest := cutUvarints(src, list[:])
		got := list[0]
		if n <= 0 {
			if rest != nil {
				t.Fatalf("%x: %d, where there is none", src, got)
			}
			return
		}
		if got != want || rest == nil || len(rest) != len(src)-n {
			t.Fatalf("%x: %d and %d bytes, want %d and %d", src, got, len(rest), want, len(src)-n)
		}
	})
}
