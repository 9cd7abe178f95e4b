package threaddump

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"contend/decode/logline"

	"golang.org/x/text/encoding/unicode"
)

// maxLine is the longest line that is read whole; what is beyond it is passed
// over. No line of a dump is near it.
const maxLine = 1 << 20

// lines splits an input into lines, whatever their ends, and turns UTF-16
// into UTF-8. Text in other encodings stays as it is: only names can be
// concerned.
type lines struct {
	in     *bufio.Reader
	number int   // of the line returned last, from 1
	read   int64 // bytes, as they came
	again  bool  // the line returned last is returned once more
	last   string
	prefix logline.Prefix // taken off each line
	buf    []byte
}

func newLines(in *bufio.Reader) *lines {
	l := &lines{}
	count := &counter{in, &l.read}
	head, _ := in.Peek(256)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		in.Discard(3)
		l.read = 3
		l.in = bufio.NewReader(count)
	case utf16(head, 1):
		l.in = bufio.NewReader(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(count))
	case utf16(head, 0):
		l.in = bufio.NewReader(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(count))
	default:
		l.in = bufio.NewReader(count)
	}
	return l
}

// utf16 reports whether text has its high bytes at odd (1) or even (0) places:
// in a thread dump most of them are zero.
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

// IsText reports whether the beginning of an input can be that of a text.
func IsText(head []byte) bool {
	return utf16(head, 0) || utf16(head, 1) || bytes.IndexByte(head, 0) < 0
}

type counter struct {
	in *bufio.Reader
	n  *int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	*c.n += int64(n)
	return n, err
}

// next returns the next line without its end; at the end of the input io.EOF,
// or what kept the input from being read.
func (l *lines) next() (string, error) {
	if l.again {
		l.again = false
		return l.last, nil
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if room := maxLine - len(l.buf); len(part) > room {
			part = part[:max(room, 0)]
		}
		l.buf = append(l.buf, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && (len(l.buf) == 0 || err != io.EOF) {
			return "", err
		}
		break
	}
	l.number++
	l.last = l.prefix.Strip(strings.TrimRight(string(l.buf), "\r\n"))
	return l.last, nil
}
