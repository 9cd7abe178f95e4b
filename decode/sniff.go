package decode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"contend/decode/threaddump"
	"contend/decode/unwrap"
	"contend/format"

	kgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// sniffed is how many bytes detection reads at most.
const sniffed = 64 << 10

// wrappings are the compressions a whole file may be in.
var wrappings = []struct {
	name  string
	magic string
	open  func(io.Reader) (r io.Reader, release func(), err error)
}{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, func(), error) {
		z, err := kgzip.NewReader(r)
		return z, nothing, err
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

// maxWindow bounds the memory that a zstd file may ask for: zstd's own default.
const maxWindow = 128 << 20

func openS2(r io.Reader) (io.Reader, func(), error) { return s2.NewReader(r), nothing, nil }

// nothing is the release function of a wrapping without a goroutine.
func nothing() {}

func hasPrefix(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// byteOrderMark begins UTF-8 files of some editors.
const byteOrderMark = "\xef\xbb\xbf"

// Decompress removes one layer of compression (gzip, zstd, s2), if there is one, and the
// byte order mark; release frees its resources. Damage in the compression ends the input
// with io.ErrUnexpectedEOF after the intact part. The error is a *format.Error,
// ErrTruncated or ErrCorrupt, if the compressed stream cannot be opened at all.
func Decompress(r io.Reader, name string) (plain *bufio.Reader, release func(), err error) {
	plain, release, err = decompress(bufio.NewReaderSize(r, bufferSize), name) // r itself, if it is one of that size
	if err == nil {
		if head, _ := plain.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
			_, _ = plain.Discard(len(byteOrderMark)) // it is there
		}
	}
	return plain, release, err
}

// decompress returns buf itself if it is not compressed.
func decompress(buf *bufio.Reader, name string) (plain *bufio.Reader, release func(), err error) {
	head, _ := buf.Peek(maxMagic)
	for _, w := range wrappings {
		if !bytes.HasPrefix(head, []byte(w.magic)) {
			continue
		}
		r, release, err := w.open(buf)
		if err != nil {
			return nil, nil, fail(name, w.name, damage(err), "")
		}
		inner := bufio.NewReaderSize(&unwrapped{r: r}, bufferSize)
		if head, err := inner.Peek(1); len(head) == 0 {
			release()
			return nil, nil, fail(name, w.name, damage(err), "")
		}
		return inner, release, nil
	}
	return buf, nothing, nil
}

// bufferSize is the size of a read, in bytes.
const bufferSize = 1 << 20

// maxMagic is how many bytes identify a compression format.
const maxMagic = 10

// sniff detects the format of an input and begins to decode it.
func (in *input) sniff(buf *bufio.Reader) (Source, error) {
	start, _ := buf.Peek(sniffed)
	if k := kindOf(kinds, start); k != nil {
		r, err := k.open(
			content{in: buf, name: in.name, rules: in.from.options.Rules, skip: in.skip, room: in.from.room},
		)
		if err == nil && k.pumped {
			r, in.unpack = newPump(r, &in.from.events, in.unpack), nil
		}
		return r, err
	}
	if !unwrap.IsText(start) {
		return nil, fail(in.name, "binary data", format.ErrNotMine, threaddump.Hint)
	}
	text, from := unwrapText(buf)
	in.process, in.others = text.process, text.others
	return in.openText(text.in, from)
}

// openText begins to decode a text that may stand anywhere in a log.
func (in *input) openText(buf *bufio.Reader, from unwrap.Skipped) (Source, error) {
	start, _ := buf.Peek(sniffed)
	return kindOf(textKinds, start).open(content{in: buf, name: in.name, rules: in.from.options.Rules, from: from})
}

func kindOf(list []kind, start []byte) *kind {
	if i := slices.IndexFunc(list, func(k kind) bool { return k.is(start) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// unwrapText removes prefixes and quoting of other programs from the lines of a text, and
// skips the text before the first dump. JSON does not change.
func unwrapText(buf *bufio.Reader) (text unwrappedText, from unwrap.Skipped) {
	buf = unwrap.UTF8(buf)
	start, _ := buf.Peek(sniffed)
	if n := threaddump.BeforeJSON(start); n > 0 { // a document in an excerpt
		from = unwrap.Skipped{Bytes: int64(n)}
		_, _ = buf.Discard(n)
		return unwrappedText{in: buf}, from
	}
	if threaddump.IsJSON(start) {
		return unwrappedText{in: buf}, from
	}
	dump := hasLine(func(line string) bool { return begins(line) != unwrap.None })
	if threaddump.StatedThreads(start) && !dump(start) {
		return unwrappedText{in: buf}, from
	}
	bare := unwrap.New(buf, begins)
	if bare.Skip() {
		text.process, text.others = bare.Processes()
	}
	text.in = bufio.NewReaderSize(bare, sniffed)
	return text, bare.Skipped()
}

// unwrappedText is the text of one process, with those of the other processes in the same
// stream.
type unwrappedText struct {
	in      *bufio.Reader
	process string // "" for a stream of one
	others  []unwrap.Part
}

// unwrapped turns damage of the compression into an early end: the bytes before it are good,
// and the decoder inside reports how many there were.
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
