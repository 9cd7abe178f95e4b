package threaddump

import (
	"bufio"
	"io"
	"strings"
)

// maxLine is the longest line that is read whole; what is beyond it is passed
// over. No line of a dump is near it.
const maxLine = 1 << 20

// lines splits an input into lines, whatever their ends. Text in encodings other
// than UTF-8 stays as it is: only names can be concerned.
type lines struct {
	in     *bufio.Reader
	number int   // of the line returned last, from 1
	read   int64 // bytes, as they came
	again  bool  // the line returned last is returned once more
	last   string
	buf    []byte
}

func newLines(in *bufio.Reader) *lines {
	l := &lines{}
	l.in = bufio.NewReader(&counter{in, &l.read})
	return l
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
	l.last = strings.TrimRight(string(l.buf), "\r\n")
	return l.last, nil
}
