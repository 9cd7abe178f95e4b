package jfr

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"contend/format"
)

// cursor reads a chunk's values in order. The first failure sticks; reads
// after it give zeros.
type cursor struct {
	buf        []byte
	off        int
	err        error
	what       string
	compressed bool // integers are variable-length
}

func (c *cursor) fail(what string, err error) {
	if c.err == nil {
		c.what, c.err = what, err
		c.off = len(c.buf) // every further read fails, too
	}
}

func (c *cursor) left() int { return len(c.buf) - c.off }

// bytes reads n bytes.
func (c *cursor) bytes(what string, n int) []byte {
	switch {
	case c.err != nil:
		return nil
	case n < 0:
		c.fail(what, format.ErrCorrupt)
		return nil
	case n > c.left():
		c.fail(what, format.ErrTruncated)
		return nil
	}
	b := c.buf[c.off : c.off+n]
	c.off += n
	return b
}

// long reads an integer of up to eight bytes: seven bits a byte, lowest
// first, the ninth byte whole.
func (c *cursor) long(what string) int64 {
	if !c.compressed {
		return c.fixed(what, 8)
	}
	if c.off < len(c.buf) && c.buf[c.off] < 0x80 { // the common case
		c.off++
		return int64(c.buf[c.off-1])
	}
	return c.wide(what)
}

// tops are the continuation bits of eight bytes.
const tops = 0x8080808080808080

// wide reads a compressed integer of several bytes. It decodes up to eight at once: the
// lowest clear top bit marks the last byte, and the groups of seven bits are moved together
// in pairs, fours and eights.
func (c *cursor) wide(what string) int64 {
	if c.left() < 9 {
		return c.tail(what)
	}
	b := c.buf[c.off : c.off+9]
	x := binary.LittleEndian.Uint64(b)
	n, stop := 9, ^x&tops
	if stop != 0 {
		n = bits.TrailingZeros64(stop)/8 + 1
		x &= stop ^ (stop - 1)
	}
	x &^= tops
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x0fffffff | x&0x0fffffff00000000>>4
	if n == 9 {
		x |= uint64(b[8]) << 56
	}
	c.off += n
	return int64(x)
}

// skipLongs skips compressed integers. Most are short: all that end within eight bytes are
// skipped at once.
func (c *cursor) skipLongs(n int) {
	if n >= manyLongs {
		n = c.skipMany(n)
	}
	buf, off := c.buf, c.off
	for n > 0 {
		ends := uint64(0)
		if len(buf)-off >= 8 {
			ends = lastBytes(buf[off:])
		}
		k := bits.OnesCount64(ends)
		switch {
		case k == 0:
			c.off = off
			if c.long("field"); c.err != nil {
				return
			}
			off = c.off
			n--
		case k > n:
			for ; n > 1; n-- {
				ends &= ends - 1
			}
			c.off = off + bits.TrailingZeros64(ends)/8 + 1
			return
		default:
			off += bits.Len64(ends) / 8
			n -= k
		}
	}
	c.off = off
}

// lastBytes marks the bytes, of eight, that end an integer of up to eight bytes.
func lastBytes(b []byte) uint64 { return ^binary.LittleEndian.Uint64(b) & 0x8080808080808080 }

// manyLongs are enough for skipMany to be quicker.
const manyLongs = 16

// skipMany skips most of n compressed integers and returns how many remain. It reads eight
// bytes at a time, wherever integers begin in them, and only counts the ends, so that no
// step depends on where the previous integers end. It stops if eight successive bytes end
// none, because the ninth byte of an integer always ends it.
func (c *cursor) skipMany(n int) int {
	buf := c.buf
	off := c.off
	open := 0 // open: bytes before off of an unfinished integer
	for len(buf)-off >= 8 {
		ends := lastBytes(buf[off:])
		k := bits.OnesCount64(ends)
		if k >= n || open+bits.TrailingZeros64(ends)/8 >= 8 {
			break
		}
		open = bits.LeadingZeros64(ends) / 8
		n -= k
		off += 8
	}
	c.off = off - open
	return n
}

// tail is wide for fewer than nine remaining bytes; fewer than none if an event's size does
// not cover its own header.
func (c *cursor) tail(what string) int64 {
	var v uint64
	for i, b := range c.buf[min(c.off, len(c.buf)):] {
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.off += i + 1
			return int64(v)
		}
	}
	c.fail(what, format.ErrTruncated)
	return 0
}

// integer reads an int or a short, size bytes wide when not compressed.
func (c *cursor) integer(what string, size int) int64 {
	if c.compressed {
		return c.long(what)
	}
	return c.fixed(what, size)
}

func (c *cursor) fixed(what string, size int) int64 {
	b := c.bytes(what, size)
	if b == nil {
		return 0
	}
	switch size {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	return int64(binary.BigEndian.Uint64(b))
}

// count reads the length of a list whose items take at least one byte each.
func (c *cursor) count(what string) int {
	n := c.integer(what, 4)
	if n < 0 || n > int64(c.left()) {
		c.fail(what, format.ErrCorrupt)
		return 0
	}
	return int(n)
}

// The encodings of a string.
const (
	stringNull = iota
	stringEmpty
	stringConstant // a key into the pool of java.lang.String
	stringUTF8
	stringChars
	stringLatin1
)

// raw skips a string. It returns its encoding and bytes, or its key if it is a constant;
// stringNull if there is none.
func (c *cursor) raw() (encoding byte, b []byte, key int64) {
	head := c.bytes("string encoding", 1)
	if head == nil {
		return stringNull, nil, 0
	}
	switch head[0] {
	case stringNull, stringEmpty:
	case stringConstant:
		key = c.long("string key")
	case stringUTF8, stringLatin1:
		b = c.bytes("string", c.count("string length"))
	case stringChars:
		n := c.count("string length")
		from := c.off
		for range n {
			c.integer("character", 2)
		}
		b = c.buf[from:c.off]
	default:
		c.fail("string encoding", format.ErrCorrupt)
	}
	if c.err != nil {
		return stringNull, nil, 0
	}
	return head[0], b, key
}

// plain reports whether the bytes of a string are its text in UTF-8.
func plain(encoding byte, b []byte) bool {
	switch encoding {
	case stringUTF8:
		return utf8.Valid(b)
	case stringLatin1:
		return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
	}
	return false
}

// str reads a string; a constant one is looked up by constant.
func (c *cursor) str(constant func(key int64) string) string {
	switch encoding, b, key := c.raw(); {
	case encoding == stringConstant && constant != nil:
		return constant(key)
	case plain(encoding, b):
		return string(b)
	case encoding == stringUTF8:
		return surrogated(b)
	case encoding == stringLatin1:
		out := make([]rune, len(b))
		for i, b := range b {
			out[i] = rune(b)
		}
		return string(out)
	case encoding == stringChars:
		units := make([]uint16, 0, 32)
		for in := (cursor{buf: b, compressed: c.compressed}); in.left() > 0; {
			units = append(units, uint16(in.integer("character", 2)))
		}
		return string(utf16.Decode(units))
	}
	return ""
}

// surrogated reads a string that is not quite in UTF-8. JVMs write characters beyond the
// first 65,536 as two surrogates of three bytes each. Each bad byte becomes U+FFFD.
func surrogated(b []byte) string {
	var out []rune
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if len(b) >= 6 && r == utf8.RuneError {
			if pair := utf16.DecodeRune(surrogate(b), surrogate(b[3:])); pair != utf8.RuneError {
				r, n = pair, 6
			}
		}
		out, b = append(out, r), b[n:]
	}
	return string(out)
}

// surrogate reads one of three bytes; 0 if there is none.
func surrogate(b []byte) rune {
	if b[0] != 0xed || b[1]&0xe0 != 0xa0 || b[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}

// garbled reports whether a text contains what no name and no dump contains: invalid UTF-8,
// or control characters of a terminal.
func garbled(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == utf8.RuneError
	})
}
