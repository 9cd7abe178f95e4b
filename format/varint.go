package format

import (
	"encoding/binary"
	"math/bits"
)

// cutUvarint cuts the varint at the head of src off. The rest is nil where there is
// none, or one that is too large. One of up to eight bytes is put together without a
// step for each, since how many a difference of times has is hard to foresee.
func cutUvarint(src []byte) (v uint64, rest []byte) {
	if len(src) >= 8 {
		x := binary.LittleEndian.Uint64(src)
		if ends := ^x & 0x8080808080808080; ends != 0 { // the top bits of the last byte and of others behind it
			x &= ends ^ (ends - 1)
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
			return x, src[bits.TrailingZeros64(ends)/8+1:]
		}
	}
	v, n := binary.Uvarint(src)
	if n <= 0 {
		return 0, nil
	}
	return v, src[n:]
}

// signed turns the varint of a signed number into it.
func signed(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
