package format

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendEvent appends the binary form of an event: its kind, the length of its fields, and
// the fields. last is the time of the previous event of the block, and is updated.
func AppendEvent(dst []byte, ev *Event, last *int64) []byte {
	dst = append(dst, byte(ev.Kind), 0)
	at := len(dst)
	fields := layouts[ev.Kind]
	for n := len(fields); n > 0 && appended[fields[n-1]] && ev.number(fields[n-1]) == 0; n-- {
		fields = fields[:n-1]
	}
	for _, f := range fields {
		dst = appendField(dst, f, ev, last)
	}
	n := len(dst) - at
	if n < 0x80 {
		dst[at-1] = byte(n)
		return dst
	}
	var length [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(length[:], uint64(n))
	return slices.Insert(append(dst[:at-1], dst[at:]...), at-1, length[:k]...)
}

func appendField(dst []byte, f fieldCode, ev *Event, last *int64) []byte {
	if v := ev.signed(f); v != nil {
		diff := *v
		switch f {
		case fTime:
			diff -= *last
			*last = ev.Time
		case fEnd, fIntended:
			diff -= ev.Time
		}
		return binary.AppendVarint(dst, diff)
	}
	if s := ev.text(f); s != nil {
		return appendString(dst, *s)
	}
	switch f {
	case fFrames:
		return appendFrames(dst, ev.Frames)
	case fOwners:
		return appendParties(dst, ev.Owners)
	case fWaiters:
		return appendParties(dst, ev.Waiters)
	}
	return binary.AppendUvarint(dst, ev.number(f))
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendFrames(dst []byte, list []Frame) []byte {
	kept := list[:min(len(list), MaxFrames)]
	dst = binary.AppendUvarint(dst, uint64(len(kept)))
	for _, fr := range kept {
		dst = appendString(appendString(appendString(dst, fr.Class), fr.Method), fr.File)
		dst = binary.AppendVarint(dst, int64(fr.Line))
	}
	return dst
}

func appendParties(dst []byte, list []Party) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, p := range list {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.Thread)), uint64(p.Stack))
		dst = append(dst, byte(p.Mode))
	}
	return dst
}

// cutUvarints decodes varints until the list is full and returns the bytes after them. rest
// is nil if there are fewer, or if one is too large. It reads eight bytes at once, some of
// which may lie beyond src in its array, and decodes a varint of up to eight bytes without a
// branch for each byte: the lengths of time differences are hard to predict.
func cutUvarints(src []byte, list []uint64) (rest []byte) {
	wide, at := src[:cap(src)], 0
	for i := range list {
		var x, ends uint64
		if len(wide)-at >= 8 {
			x = binary.LittleEndian.Uint64(wide[at:])
			if x&0x80 == 0 {
				list[i] = x & 0x7f
				at++
				continue
			}
			ends = ^x & 0x8080808080808080 // the top bits of the last byte, and of bytes after it
		}
		if ends == 0 {
			v, n := binary.Uvarint(src[min(at, len(src)):])
			if n <= 0 {
				return nil
			}
			list[i] = v
			at += n
			continue
		}
		x &= ends ^ (ends - 1)
		x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
		x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
		list[i] = x&0x000000000fffffff | x&0x0fffffff00000000>>4
		at += bits.TrailingZeros64(ends)/8 + 1
	}
	if at > len(src) {
		return nil
	}
	return src[at:]
}

// signed decodes a signed number from its varint.
func signed(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
