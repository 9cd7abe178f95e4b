package column

import (
	"encoding/binary"
	"testing"
)

// numbers packs numbers as they are.
type numbers struct{}

func (numbers) Put(to []byte, v *int64) []byte { return binary.AppendVarint(to, *v) }
func (numbers) Get(from []byte, v *int64) []byte {
	n := 0
	*v, n = binary.Varint(from)
	return from[n:]
}

// EachSince visits what was added since, without earlier pieces, also if the column was
// read in between.
func TestPackedSince(t *testing.T) {
	c := &Packed[int64]{Start: func(v *int64) int64 { return *v }, Coder: func() Coder[int64] { return numbers{} }}
	add := func(from, to int64) {
		for v := from; v < to; v++ {
			c.Add(v)
		}
	}
	since := func(pieces int) (first, n int64) {
		first = -1
		c.EachSince(pieces, func(v *int64) {
			if n++; first < 0 {
				first = *v
			}
		})
		return first, n
	}
	add(0, 2*pieceLen+5)
	at := c.Begun()
	add(2*pieceLen+5, 2*pieceLen+9)
	if first, n := since(at); first > 2*pieceLen+5 || first < pieceLen || first+n != 2*pieceLen+9 {
		t.Errorf("from %d on %d", first, n)
	}
	at = c.Begun()
	add(2*pieceLen+9, 3*pieceLen+20)
	if first, n := since(at); first != 2*pieceLen+9 || n != pieceLen+11 {
		t.Errorf("behind what was read, from %d on %d", first, n)
	}
	if first, n := since(0); first != 0 || n != 3*pieceLen+20 {
		t.Errorf("in all from %d on %d", first, n)
	}
}

// Reading a column frees its scratch memory. Further additions allocate it again.
func TestPackedLetsGoOfWhatItIsFilledWith(t *testing.T) {
	c := &Packed[int64]{Start: func(v *int64) int64 { return *v }, Coder: func() Coder[int64] { return numbers{} }}
	n := int64(0)
	for range 3 {
		for range 2*pieceLen + 5 {
			c.Add(n)
			n++
		}
		want := int64(0)
		c.Each(func(v *int64) {
			if *v != want {
				t.Fatalf("%d, want %d", *v, want)
			}
			want++
		})
		if want != n || c.last != nil || c.scratch != nil || c.sorter.keys != nil {
			t.Errorf("%d of %d read; scratch memory of %d bytes and %d keys", want, n, len(c.scratch), len(c.sorter.keys))
		}
	}
}
