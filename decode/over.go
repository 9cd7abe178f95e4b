package decode

import (
	"bufio"
	"io"
	"os"
)

// over is an input that is read from a file as it is, of which parts can be passed
// over without reading them.
type over struct {
	*bufio.Reader
	file *meter
}

// passable returns what a decoder reads that may want to pass over parts of its
// input.
func (in *input) passable(buf *bufio.Reader) io.Reader {
	if in.whole && in.file.again {
		return &over{buf, in.file}
	}
	return buf
}

// Skip implements native.Skipper.
func (o *over) Skip(n int64) (int64, error) {
	done := min(n, int64(o.Buffered()))
	if _, err := o.Discard(int(done)); err != nil {
		return 0, err
	}
	f, ok := o.file.Reader.(*os.File)
	if !ok {
		more, err := io.CopyN(io.Discard, o.Reader, n-done)
		if err == io.EOF {
			err = nil
		}
		return done + more, err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return done, err
	}
	rest := min(n-done, max(o.file.total-at, 0))
	if _, err := f.Seek(rest, io.SeekCurrent); err != nil {
		return done, err
	}
	o.file.read += rest
	return done + rest, nil
}
