package jfr

import (
	"encoding/binary"
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
	}
}

func (c *cursor) left() int { return len(c.buf) - c.off }

// bytes takes n bytes.
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
	var v uint64
	for i, b := range c.buf[c.off:min(c.off+9, len(c.buf))] {
		if i == 8 {
			c.off += 9
			return int64(v | uint64(b)<<56)
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.off += i + 1
			return int64(v)
		}
	}
	c.off = len(c.buf)
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

// skipString passes over a string.
func (c *cursor) skipString() {
	b := c.bytes("string encoding", 1)
	if b == nil {
		return
	}
	switch b[0] {
	case stringNull, stringEmpty:
	case stringConstant:
		c.long("string key")
	case stringUTF8, stringLatin1:
		c.bytes("string", c.count("string length"))
	case stringChars:
		for range c.count("string length") {
			c.integer("character", 2)
		}
	default:
		c.fail("string encoding", format.ErrCorrupt)
	}
}

// str reads a string; a constant one is looked up by constant.
func (c *cursor) str(constant func(key int64) string) string {
	b := c.bytes("string encoding", 1)
	if b == nil {
		return ""
	}
	switch b[0] {
	case stringNull, stringEmpty:
	case stringConstant:
		if key := c.long("string key"); constant != nil && c.err == nil {
			return constant(key)
		}
	case stringUTF8:
		return validUTF8(c.bytes("string", c.count("string length")))
	case stringLatin1:
		raw := c.bytes("string", c.count("string length"))
		if isASCII(raw) {
			return string(raw)
		}
		out := make([]rune, len(raw))
		for i, b := range raw {
			out[i] = rune(b)
		}
		return string(out)
	case stringChars:
		units := make([]uint16, 0, 32)
		for range c.count("string length") {
			units = append(units, uint16(c.integer("character", 2)))
		}
		return string(utf16.Decode(units))
	default:
		c.fail("string encoding", format.ErrCorrupt)
	}
	return ""
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b))) // each bad byte becomes U+FFFD
}
