package decode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"contend/decode/threaddump"
	"contend/format"

	kgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// sniffed is how many bytes are looked at to find out what an input is.
const sniffed = 64 << 10

// wrappings are the compressions a whole file may be in.
var wrappings = []struct {
	name  string
	magic string
	open  func(io.Reader) (r io.Reader, release func(), err error)
}{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, func(), error) {
		z, err := kgzip.NewReader(r)
		return z, nil, err
	}},
	{"zstd", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, func(), error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}},
	{"s2", "\xff\x06\x00\x00S2sTwO", openS2},
	{"s2", "\xff\x06\x00\x00sNaPpY", openS2},
}

// maxWindow bounds the memory a zstd file may ask for: what zstd itself grants
// unless told otherwise.
const maxWindow = 128 << 20

func openS2(r io.Reader) (io.Reader, func(), error) { return s2.NewReader(r), nil, nil }

func hasPrefix(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// sniff unwraps one layer of compression and opens what is inside.
func (in *input) sniff(o Options) (reader, error) {
	in.guard = o.Limits.guard(in.file, false)
	buf := bufio.NewReaderSize(in.guard, 1<<20)
	head, err := buf.Peek(sniffed)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", in.name, err)
		}
		return nil, fail(in.name, "input", fmt.Errorf("empty: %w", format.ErrTruncated), "the recording may not have been written yet: stop or dump it first")
	}
	for _, w := range wrappings {
		if !bytes.HasPrefix(head, []byte(w.magic)) {
			continue
		}
		r, release, err := w.open(buf)
		if err != nil {
			return nil, fail(in.name, w.name, damage(err), "")
		}
		in.unwrap = release
		in.guard.lift() // what it unpacks to counts instead
		in.guard = o.Limits.guard(&unwrapped{r: r}, true)
		buf = bufio.NewReaderSize(in.guard, 1<<20)
		if head, err = buf.Peek(sniffed); len(head) == 0 {
			return nil, fail(in.name, w.name, damage(err), "")
		}
		break
	}
	for _, f := range formats {
		if f.is(head) {
			return f.open(buf, in.name, o)
		}
	}
	return nil, fail(in.name, "binary data", format.ErrNotMine, threaddump.Hint)
}

// unwrapped makes damage of the wrapping an early end: what came before it
// is good, and the decoder inside says how much that was.
type unwrapped struct{ r io.Reader }

func (u *unwrapped) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func damage(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return format.ErrTruncated
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return format.ErrCorrupt
	}
	return fmt.Errorf("%w (%w)", format.ErrCorrupt, err)
}
