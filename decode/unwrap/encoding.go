package unwrap

import (
	"bufio"
	"bytes"

	"golang.org/x/text/encoding/unicode"
)

// UTF8 converts UTF-16, which PowerShell writes, to UTF-8, and removes the byte order mark.
// Text in other encodings does not change: in a dump only names can be affected.
func UTF8(in *bufio.Reader) *bufio.Reader {
	head, _ := in.Peek(256)
	order := unicode.BigEndian
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3) // they are there
		return in
	case utf16(head, 1):
		order = unicode.LittleEndian
	case !utf16(head, 0):
		return in
	}
	return bufio.NewReaderSize(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in), in.Size())
}

// utf16 reports whether the high bytes of text are at odd (1) or even (0) offsets: in a
// thread dump most of them are zero.
func utf16(head []byte, high int) bool {
	if len(head) < 2 {
		return false
	}
	if head[high] == 0xfe && head[1-high] == 0xff {
		return true
	}
	zeros := 0
	for i := high; i < len(head); i += 2 {
		if head[i] == 0 {
			zeros++
		}
	}
	return zeros > len(head)/4 && bytes.Count(head, []byte{0}) == zeros
}

// IsText reports whether the beginning of an input can be text.
func IsText(head []byte) bool {
	return utf16(head, 0) || utf16(head, 1) || bytes.IndexByte(head, 0) < 0
}
